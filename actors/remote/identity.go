package remote

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"time"
)

// Identity is the certificate that a process shows its peers, and the authorities that it
// accepts.
type Identity struct {
	certificate tls.Certificate
	authorities *x509.CertPool
	// shared means that it is made of a secret and holds on loopback alone.
	shared bool
}

// ReadIdentity reads a certificate and its key, and the certificates of the authority that
// peers must be certified by, all in PEM.
func ReadIdentity(certificate, key, authority string) (*Identity, error) {
	pair, err := tls.LoadX509KeyPair(certificate, key)
	if err != nil {
		return nil, fmt.Errorf("the certificate %s with the key %s: %w", certificate, key, err)
	}
	text, err := os.ReadFile(authority)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the authority: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s has no certificate of an authority", authority)
	}
	return &Identity{certificate: pair, authorities: pool}, nil
}

// LeastSecret is the fewest characters that a shared secret has.
const LeastSecret = 32

// SharedIdentity makes an identity of a secret that all processes have, of at least
// LeastSecret characters, for addresses on loopback. The key of its certificate is derived
// from the secret, so that all have the same certificate, and the secret itself is never sent:
// a process that does not know it cannot connect, nor pass for one that does.
func SharedIdentity(secret string) (*Identity, error) {
	if len(secret) < LeastSecret {
		return nil, fmt.Errorf("the secret has %d characters; want at least %d", len(secret), LeastSecret)
	}
	seed, err := hkdf.Key(sha256.New, []byte(secret), nil, "starling loopback identity", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	// All processes have the same certificate and the same signature, which Ed25519 makes
	// without randomness.
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "starling loopback"},
		NotBefore:    time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC),
		NotAfter:     time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC),
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1), net.IPv6loopback},
		KeyUsage:     x509.KeyUsageDigitalSignature,
		ExtKeyUsage:  []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		return nil, err
	}
	parsed, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return &Identity{certificate: tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: parsed}, authorities: pool, shared: true}, nil
}

// hearing is the TLS configuration for incoming connections: no peer gets further without a
// certificate of the authority.
func (i *Identity) hearing() *tls.Config {
	return &tls.Config{
		MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{i.certificate},
		ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: i.authorities,
	}
}

// calling is the TLS configuration for outgoing connections: the peer's certificate must be of
// the authority and of the name that is called.
func (i *Identity) calling() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS13, Certificates: []tls.Certificate{i.certificate}, RootCAs: i.authorities}
}

// checkHost refuses a host that the identity must not be shown on.
func (i *Identity) checkHost(host string) error {
	if !i.shared {
		return nil
	}
	loopback, err := Loopback(host)
	if err != nil {
		return err
	}
	if !loopback {
		return fmt.Errorf("%s is reachable from other machines: TLS certificates are required", host)
	}
	return nil
}

// Loopback reports whether a host is reached from the same machine alone.
func Loopback(host string) (bool, error) {
	if ip := net.ParseIP(host); ip != nil {
		return ip.IsLoopback(), nil
	}
	addresses, err := net.LookupIP(host)
	if err != nil {
		return false, err
	}
	for _, ip := range addresses {
		if !ip.IsLoopback() {
			return false, nil
		}
	}
	return true, nil
}

// SplitAddress splits HOST:PORT. A host must be named: an address without one, or 0.0.0.0,
// would be all addresses of the machine.
func SplitAddress(address string) (host, port string, err error) {
	host, port, err = net.SplitHostPort(address)
	if err != nil {
		return "", "", fmt.Errorf("want HOST:PORT: %w", err)
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		return "", "", errors.New("want HOST:PORT with the name or number of one host: " + address + " is every address of a machine")
	}
	return host, port, nil
}

// NewSecret draws a secret for SharedIdentity.
func NewSecret() string { return rand.Text() + rand.Text() }
