package workers_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"starling/actors/remote"
	"starling/scenarios/runner"
	"starling/scenarios/scenariotest"
	"starling/scenarios/workers"
)

// expired makes a certificate of 127.0.0.1 that has expired, by the authority of a folder.
func expired(t *testing.T, dir, name string) {
	t.Helper()
	authority, err := tls.LoadX509KeyPair(filepath.Join(dir, remote.AuthorityCertificate), filepath.Join(dir, remote.AuthorityKey))
	if err != nil {
		t.Fatal(err)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, &x509.Certificate{
		SerialNumber: big.NewInt(7), NotBefore: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour), IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}, authority.Leaf, key.Public(), authority.PrivateKey)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	for file, block := range map[string]*pem.Block{name + ".crt": {Type: "CERTIFICATE", Bytes: der}, name + ".key": {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(filepath.Join(dir, file), pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// free is an address of this machine at which nobody hears.
func free(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestWorkersThatCannotBeJoined names who cannot be joined at once, once, with the cause and what
// to do; it is tried again, and in the end it is said how often.
func TestWorkersThatCannotBeJoined(t *testing.T) {
	lab, other := filepath.Join(t.TempDir(), "lab"), filepath.Join(t.TempDir(), "other")
	for _, dir := range []string{lab, other} {
		if _, err := remote.Found(dir, []string{"127.0.0.1", "elsewhere.example"}); err != nil {
			t.Fatal(err)
		}
	}
	expired(t, lab, "expired")
	of := func(dir, host string) *remote.Identity { return settings{Authority: dir, Host: host}.identity() }
	type worker struct {
		identity    *remote.Identity // nil: nobody hears
		cause, cure string
	}
	ours := of(lab, "127.0.0.1")
	for name, test := range map[string]struct {
		coordinator *remote.Identity
		workers     []worker
	}{
		"workers": {ours, []worker{
			{nil, "no process hears there", "Start 'starling worker' there"},
			{of(lab, "expired"), "certificate has expired", "clocks of both machines"},
			{of(lab, "elsewhere.example"), "its certificate is refused", "a host that its certificate is for"},
			{of(other, "127.0.0.1"), "signed by unknown authority", "one authority"},
		}},
		"an expired run": {of(lab, "expired"), []worker{{ours, "it refuses this process", "the certificate of this process"}}},
		"a misnamed run": {of(lab, "elsewhere.example"), []worker{{ours, "refuses this process", "the certificate of this process"}}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var addresses []string
			for _, w := range test.workers {
				address := free(t)
				addresses = append(addresses, address)
				if w.identity == nil {
					continue
				}
				node, err := remote.Start(remote.Options{Listen: address, Identity: w.identity, Accept: func(l *remote.Link) { <-l.Done() }})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(node.Close)
			}
			file, _, load := write(t, scenariotest.Base)
			p, told := pool(t, file, workers.Options{Node: remote.Options{Listen: "127.0.0.1:0", Identity: test.coordinator}, Patience: 2500 * time.Millisecond}, addresses...)
			failed := make(chan error, 1)
			began := time.Now()
			go func() {
				_, err := runner.Run(load(), t.Context(), options(t, p))
				failed <- err
			}()
			for strings.Count(told.String(), "cannot be joined") < len(addresses) && time.Since(began) < 3*time.Second {
				time.Sleep(10 * time.Millisecond)
			}
			text, after := told.String(), time.Since(began)
			err := <-failed
			if took := time.Since(began); err == nil || took > 8*time.Second {
				t.Errorf("%v after %v", err, took)
			}
			for i, w := range test.workers {
				first := "worker " + addresses[i] + " cannot be joined, and is tried again for "
				_, said, _ := strings.Cut(text, first)
				said, _, _ = strings.Cut(said, "\n")
				if !strings.Contains(said, w.cause) || !strings.Contains(said, w.cure) {
					t.Errorf("after %v the user is told %q, want %q and %q", after, text, w.cause, w.cure)
				}
				if times := strings.Count(told.String(), first); times != 1 {
					t.Errorf("%d warnings, want one:\n%s", times, told)
				}
				_, last, _ := strings.Cut(fmt.Sprint(err), "worker "+addresses[i]+": ")
				last, _, _ = strings.Cut(last, "\n")
				if !strings.Contains(last, w.cause) || !strings.Contains(last, " times)") {
					t.Errorf("%v, want an error that names the worker, the cause and how often it came", err)
				}
			}
		})
	}
}

// TestWorkerThatComesLate begins a run before its worker: the run waits, goes on with it, and says
// so.
func TestWorkerThatComesLate(t *testing.T) {
	t.Parallel()
	address := free(t)
	file, _, load := write(t, scenariotest.Base)
	p, told := pool(t, file, workers.Options{Patience: time.Minute}, address)
	sameWhile(t, load, p, func(func() int64) {
		for !strings.Contains(told.String(), "cannot be joined") {
			time.Sleep(10 * time.Millisecond)
		}
		start(t, settings{Listen: address})
	})
	if text := told.String(); !strings.Contains(text, "worker "+address+" has joined, after ") {
		t.Errorf("the user is told %q", text)
	}
}
