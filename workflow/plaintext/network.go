package plaintext

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"syscall"
)

// NetworkError returns why a request got no response, in words for people, such as "nothing listens at
// 127.0.0.1:5432 (connection refused)". It returns an empty string for an error that is not of the network.
func NetworkError(err error) string {
	var lookup *net.DNSError
	var request *url.Error
	var op *net.OpError
	switch {
	case err == nil || errors.Is(err, context.Canceled):
		return ""
	case errors.As(err, &lookup) && lookup.IsNotFound:
		return "there is no host " + lookup.Name + " (no such host)"
	case errors.As(err, &lookup):
		return "the address of " + lookup.Name + " is not known: no answer from DNS"
	}
	where := "the host"
	if errors.As(err, &request) {
		_, rest, _ := strings.Cut(request.URL, "//")
		host, _, _ := strings.Cut(rest, "/")
		if host = host[strings.LastIndexByte(host, '@')+1:]; host != "" {
			where = host
		}
	}
	isOp := errors.As(err, &op)
	if isOp && op.Addr != nil {
		where = op.Addr.String()
	}
	if isOp && op.Op == "proxyconnect" {
		where = "the proxy " + where
	}
	if why := describeCertificate(err); why != "" {
		return "the certificate of " + where + " is not accepted: " + why
	}
	return describeConnection(err, where, isOp || request != nil)
}

// describeCertificate returns why a certificate was refused, or an empty string.
func describeCertificate(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	var other *tls.CertificateVerificationError
	switch {
	case errors.As(err, &unknown):
		return "this machine does not know who signed it"
	case errors.As(err, &name):
		return "it is for another name"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "it has expired, or this machine's clock is wrong"
	case errors.As(err, &other):
		return OneLine(other.Err.Error())
	}
	return ""
}

// describeConnection returns what became of a connection to a host. network says that the error is of the
// network, also if it is none of the known ones.
func describeConnection(err error, where string, network bool) string {
	var errno syscall.Errno
	var record tls.RecordHeaderError
	isErrno := errors.As(err, &errno)
	switch {
	case errno == syscall.ECONNREFUSED:
		return "nothing listens at " + where + " (connection refused)"
	case errno == syscall.ECONNRESET, errno == syscall.EPIPE,
		network && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return where + " closed the connection"
	case errors.As(err, &record), network && strings.Contains(err.Error(), "HTTP response to HTTPS client"):
		return where + " does not speak TLS: http:// instead of https://?"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded) && network,
		errno == syscall.ETIMEDOUT:
		return where + " does not answer in time"
	case isErrno && network:
		return where + " cannot be reached: " + errno.Error()
	}
	return ""
}
