package proxy

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"
)

// An authority signs the certificates with which a proxy answers in place of the hosts that it has logins
// for. Its key is in memory only, and it may sign for these hosts alone.
type authority struct {
	cert []byte // in PEM
	host map[string]*tls.Certificate
}

// authorityLife is how long its certificates are valid: longer than any fetch.
const authorityLife = 24 * time.Hour

// newAuthority makes an authority and the certificates for the hosts. Without hosts it returns nil.
func newAuthority(hosts []string) (*authority, error) {
	if len(hosts) == 0 {
		return nil, nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := certificateFor("Bobbin's proxy of one fetch")
	about.IsCA = true
	about.BasicConstraintsValid = true
	about.MaxPathLenZero = true
	about.KeyUsage = x509.KeyUsageCertSign
	about.PermittedDNSDomains = hosts
	about.PermittedDNSDomainsCritical = true
	raw, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		return nil, err
	}
	above, err := x509.ParseCertificate(raw)
	if err != nil {
		return nil, err
	}
	a := &authority{
		cert: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: raw}),
		host: map[string]*tls.Certificate{},
	}
	for _, host := range hosts {
		if a.host[host], err = signFor(host, above, key); err != nil {
			return nil, fmt.Errorf("certificate for %s: %w", host, err)
		}
	}
	return a, nil
}

func certificateFor(name string) *x509.Certificate {
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		serial = big.NewInt(time.Now().UnixNano())
	}
	return &x509.Certificate{
		SerialNumber: serial,
		Subject:      pkix.Name{CommonName: name[:min(len(name), 64)]},
		NotBefore:    time.Now().Add(-time.Hour), // clocks in containers may differ
		NotAfter:     time.Now().Add(authorityLife),
	}
}

// signFor returns a certificate for a host.
func signFor(host string, above *x509.Certificate, signer *ecdsa.PrivateKey) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	about := certificateFor(host)
	about.DNSNames = []string{host}
	about.KeyUsage = x509.KeyUsageDigitalSignature
	about.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}
	raw, err := x509.CreateCertificate(rand.Reader, about, above, key.Public(), signer)
	if err != nil {
		return nil, err
	}
	return &tls.Certificate{Certificate: [][]byte{raw}, PrivateKey: key}, nil
}
