package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"
)

const (
	connectTimeout = 30 * time.Second
	// stallTimeout ends a transfer in which no byte came for that long.
	stallTimeout = 60 * time.Second
	// partial ends the patterns of temporary files.
	partial = ".*.partial"
)

// Fetcher downloads data sets. The zero value uses the registry's places. A download is
// identified by its checksum and not by its place: any place with the right file will do.
type Fetcher struct {
	// Base, if given, is the address of a folder that has the files of the downloads, under
	// their own names. It replaces the registry's places.
	Base string
	// Progress, if given, is called as bytes of a file come.
	Progress func(file string, done, size int64)
	// Client makes the requests; nil means a default client.
	Client *http.Client
	// stall replaces stallTimeout in tests.
	stall time.Duration
}

// Fetched is the result of Get.
type Fetched struct {
	// Written are the files that were downloaded, by name, in the set's folder.
	Written []string
	// Kept are the files that were there with the known contents.
	Kept []string
}

// Get puts the canonical form of a set into its folder, which it makes. A download is
// checked against the registry's SHA-256 before any of it gets a name, and removed if it
// differs; files that are there with the known contents are not touched, others of the
// same name are replaced. Every error leaves the files written so far, each of which is
// whole.
//
//	wantedMembers   the members that are not there yet
//	fetchAny        each place in turn, until one answers     temporary file, checked
//	unpack          the wanted members of an archive          temporary files, checked
//	place           the name
func (f *Fetcher) Get(ctx context.Context, folder, name string) (*Fetched, error) {
	set, err := Find(name)
	if err != nil {
		return nil, err
	}
	target := filepath.Join(folder, set.Name)
	if err := os.MkdirAll(target, 0o755); err != nil {
		return nil, err
	}
	result := &Fetched{}
	for i := range set.Downloads {
		d := &set.Downloads[i]
		// An archive is fetched if any of its members is wanted, and only then.
		wanted, err := wantedMembers(target, set, d, result)
		if err != nil {
			return result, err
		}
		if len(wanted) == 0 {
			continue
		}
		if err := f.download(ctx, target, set, d, wanted, result); err != nil {
			return result, fmt.Errorf("data set %s: %w", set.Name, err)
		}
	}
	return result, nil
}

// wantedMembers lists the members of a download that are not there with the known
// contents, and notes the others in result. A damaged plain file is an error: it would be read
// before the compressed file that a download puts beside it.
func wantedMembers(target string, set *Set, d *Download, result *Fetched) ([]Member, error) {
	var wanted []Member
	for _, member := range d.Files {
		file := set.canonical(member)
		path, err := findFile(filepath.Join(target, file.Name))
		if err != nil {
			return nil, err
		}
		if path == "" {
			wanted = append(wanted, member)
			continue
		}
		sum, _, err := contentSum(path)
		switch {
		case err == nil && sum == file.SHA256:
			result.Kept = append(result.Kept, filepath.Base(path))
		case filepath.Base(path) != member.Name && !strings.HasSuffix(path, compressed):
			return nil, fmt.Errorf("%s is damaged and would be read instead of %s; delete it", path, member.Name)
		default:
			wanted = append(wanted, member)
		}
	}
	return wanted, nil
}

// canonical returns the file of the canonical form that corresponds to a member.
func (s *Set) canonical(m Member) *File {
	for i := range s.Forms[0].Files {
		if file := &s.Forms[0].Files[i]; file.Name == strings.TrimSuffix(m.Name, compressed) {
			return file
		}
	}
	panic(fmt.Sprintf("dataset: %s: download %s is no file of the set", s.Name, m.Name))
}

// download fetches one download and puts the wanted members in place.
func (f *Fetcher) download(ctx context.Context, target string, set *Set, d *Download, wanted []Member, result *Fetched) error {
	temporary, err := f.fetchAny(ctx, target, d)
	if err != nil {
		return err
	}
	defer os.Remove(temporary)
	// The download is the file itself, and fetchAny has checked it.
	if wanted[0].Path == "" {
		if err := place(temporary, filepath.Join(target, wanted[0].Name)); err != nil {
			return err
		}
		result.Written = append(result.Written, wanted[0].Name)
		return nil
	}
	return unpack(temporary, d.name(), wanted, func(m Member, r io.Reader) error {
		file := set.canonical(m)
		path, err := receive(r, target, m.Name, file.Bytes, file.SHA256)
		if err != nil {
			return err
		}
		defer os.Remove(path)
		if err := place(path, filepath.Join(target, m.Name)); err != nil {
			return err
		}
		result.Written = append(result.Written, m.Name)
		return nil
	})
}

// fetchAny tries the places of a download in turn and returns the temporary file of the
// first that has the right contents. The error has the failure of every place.
func (f *Fetcher) fetchAny(ctx context.Context, target string, d *Download) (string, error) {
	urls := d.URLs
	if f.Base != "" {
		urls = []string{strings.TrimSuffix(f.Base, "/") + "/" + d.name()}
	}
	var failures []error
	for _, address := range urls {
		path, err := f.fetch(ctx, address, target, d)
		if err == nil {
			return path, nil
		}
		// After an interrupt no other place is tried.
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		failures = append(failures, fmt.Errorf("get %s: %w", address, err))
	}
	return "", errors.Join(failures...)
}

var errStalled = fmt.Errorf("no byte came for %s", stallTimeout)

// fetch downloads an address to a temporary file in the target folder and checks size and
// SHA-256. A transfer in which no byte comes for a while is ended: a connection that is
// dead can stay open for hours.
func (f *Fetcher) fetch(ctx context.Context, address, target string, d *Download) (string, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	stall := f.stall
	if stall == 0 {
		stall = stallTimeout
	}
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	defer timer.Stop()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	// Without this the transport would unpack a body that the server declares compressed, and
	// the checksum is of the compressed file.
	request.Header.Set("Accept-Encoding", "identity")
	response, err := f.client().Do(request)
	if err != nil {
		return "", causeOf(ctx, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("the server answered %s", response.Status)
	}
	if n := response.ContentLength; n >= 0 && n != d.Bytes {
		return "", fmt.Errorf("%d bytes are offered, want %d", n, d.Bytes)
	}
	body := &counting{reader: response.Body, report: func(done int64) {
		timer.Reset(stall)
		if f.Progress != nil {
			f.Progress(d.name(), done, d.Bytes)
		}
	}}
	path, err := receive(body, target, d.name(), d.Bytes, d.SHA256)
	return path, causeOf(ctx, err)
}

// causeOf returns the cause of a failed transfer, without the facts that the caller adds.
func causeOf(ctx context.Context, err error) error {
	if err != nil && context.Cause(ctx) == errStalled {
		return errStalled
	}
	var request *url.Error
	if errors.As(err, &request) {
		return request.Err // the caller names the address
	}
	return err
}

// client returns the caller's client, or one with timeouts: the default client of net/http
// waits for ever.
func (f *Fetcher) client() *http.Client {
	if f.Client != nil {
		return f.Client
	}
	return &http.Client{Transport: &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: connectTimeout}).DialContext,
		TLSHandshakeTimeout:   connectTimeout,
		ResponseHeaderTimeout: connectTimeout,
		DisableKeepAlives:     true, // a few large files; nothing may linger
		ForceAttemptHTTP2:     true,
	}}
}

// counting reports the number of bytes that were read.
type counting struct {
	// reader is the body; report is called with the bytes so far, and keeps the stall
	// timer from ending the transfer.
	reader io.Reader
	done   int64
	report func(done int64)
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.reader.Read(p)
	c.done += int64(n)
	if n > 0 {
		c.report(c.done)
	}
	return n, err
}

// receive copies a reader to a temporary file in a folder and demands its size and SHA-256.
// The file is in the folder of its final place, so that giving it its name is one step within
// a file system. On an error no file is left.
func receive(r io.Reader, folder, name string, size int64, sum string) (path string, err error) {
	file, err := os.CreateTemp(folder, name+partial)
	if err != nil {
		return "", err
	}
	defer func() {
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			os.Remove(file.Name())
			path = ""
		}
	}()
	hash := sha256.New()
	// Reading stops one byte past the wanted size, which shows that there are too many bytes.
	n, err := io.Copy(io.MultiWriter(file, hash), io.LimitReader(r, size+1))
	if err != nil {
		return "", fmt.Errorf("%s: after %d of %d bytes: %w", name, n, size, err)
	}
	if n > size {
		return "", fmt.Errorf("%s: more than %d bytes", name, size)
	}
	if n < size {
		return "", fmt.Errorf("%s: ends after %d of %d bytes", name, n, size)
	}
	if got := hex.EncodeToString(hash.Sum(nil)); got != sum {
		return "", fmt.Errorf("%s: SHA-256 is %s, want %s", name, got, sum)
	}
	return file.Name(), file.Sync()
}

// place gives a checked temporary file its name. A reader sees the old file or the new
// one, and nothing between.
func place(temporary, path string) error {
	// CreateTemp makes files that only their owner can read.
	if err := os.Chmod(temporary, 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}
