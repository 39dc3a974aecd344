package remote

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"time"

	"starling/actors/atomicfile"
)

// The names of the files of an authority. The files of a host are HOST.crt and HOST.key.
const (
	AuthorityCertificate = "authority.crt"
	AuthorityKey         = "authority.key"
)

// How long an authority and the certificates of hosts hold. A clock that is a little
// behind does not matter.
const (
	authorityYears = 10
	hostYears      = 2
	clockSlack     = time.Hour
)

// certifier is an authority that can certify hosts.
type certifier struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// Found makes an authority in a folder, unless it has one, and certifies hosts, names or IP
// addresses. Keys are readable by their owner alone. It overwrites nothing: an error names the
// file that is there. The paths of the files it has written are returned.
func Found(dir string, hosts []string) (written []string, err error) {
	for _, host := range hosts {
		if !hostName.MatchString(host) && net.ParseIP(host) == nil {
			return nil, fmt.Errorf("%q is not the name or number of a host", host)
		}
		for _, name := range []string{host + ".crt", host + ".key"} {
			if path := filepath.Join(dir, name); exists(path) {
				return nil, fmt.Errorf("%s already exists, and is not overwritten", path)
			}
		}
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var by *certifier
	certificate, key := filepath.Join(dir, AuthorityCertificate), filepath.Join(dir, AuthorityKey)
	if exists(certificate) || exists(key) {
		by, err = readCertifier(certificate, key)
	} else if by, err = newCertifier(certificate, key); err == nil {
		written = append(written, certificate, key)
	}
	for _, host := range hosts {
		if err != nil {
			return written, err
		}
		certificate, key := filepath.Join(dir, host+".crt"), filepath.Join(dir, host+".key")
		if err = by.certify(host, certificate, key); err == nil {
			written = append(written, certificate, key)
		}
	}
	return written, err
}

// hostName matches names of hosts, which become names of files.
var hostName = regexp.MustCompile(`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?$`)

func exists(path string) bool {
	_, err := os.Lstat(path)
	return !errors.Is(err, fs.ErrNotExist)
}

// readCertifier reads an authority that was made before.
func readCertifier(certificate, key string) (*certifier, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("the authority that is there cannot be read: %w", err)
	}
	private, ok := pair.PrivateKey.(*ecdsa.PrivateKey)
	if !ok || !pair.Leaf.IsCA {
		return nil, fmt.Errorf("%s and %s are no authority that was made here", certificate, key)
	}
	return &certifier{pair.Leaf, private}, nil
}

// newCertifier makes an authority and writes it.
func newCertifier(certificate, key string) (*certifier, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: "Starling laboratory authority"},
		NotBefore: now.Add(-clockSlack), NotAfter: now.AddDate(authorityYears, 0, 0),
		IsCA: true, BasicConstraintsValid: true, MaxPathLenZero: true,
		KeyUsage: x509.KeyUsageCertSign,
	}
	by := &certifier{template, private}
	if err := by.issue(template, private, certificate, key); err != nil {
		return nil, err
	}
	return readCertifier(certificate, key)
}

// certify makes a key and a certificate for one host, which holds for hearing and calling.
func (c *certifier) certify(host, certificate, key string) error {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	now := time.Now()
	template := &x509.Certificate{
		Subject:   pkix.Name{CommonName: host},
		NotBefore: now.Add(-clockSlack), NotAfter: now.AddDate(hostYears, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if ip := net.ParseIP(host); ip != nil {
		template.IPAddresses = []net.IP{ip}
	} else {
		template.DNSNames = []string{host}
	}
	return c.issue(template, private, certificate, key)
}

// issue signs a certificate of a key and writes both, the key first: a certificate without
// a key would be of no use.
func (c *certifier) issue(template *x509.Certificate, private *ecdsa.PrivateKey, certificate, key string) error {
	der, err := x509.CreateCertificate(rand.Reader, template, c.certificate, private.Public(), c.key)
	if err != nil {
		return err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return err
	}
	if err := writeNew(key, "PRIVATE KEY", secret, 0o600); err != nil {
		return err
	}
	return writeNew(certificate, "CERTIFICATE", der, 0o644)
}

// writeNew writes a file in PEM that must not be there.
func writeNew(path, kind string, der []byte, mode fs.FileMode) error {
	return atomicfile.New(path, mode, func(w io.Writer) error { return pem.Encode(w, &pem.Block{Type: kind, Bytes: der}) })
}
