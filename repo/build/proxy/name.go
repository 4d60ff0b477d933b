package proxy

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// A target is a host with a port.
type target struct {
	host string
	port uint16
}

func (t target) String() string { return fmt.Sprintf("%s:%d", t.host, t.port) }

// Default ports of a host that was configured without a port.
const (
	portTLS   = 443
	portPlain = 80
)

// CheckHost returns an error if s is not a valid host or host:port to let through.
func CheckHost(s string) error {
	_, err := parseTarget(s, portTLS)
	return err
}

// parseTarget parses host or host:port strictly. port is the default port; if it is 0, s must contain a port.
func parseTarget(s string, port uint16) (target, error) {
	host, number, found := strings.Cut(s, ":")
	switch {
	case strings.HasPrefix(s, "["), strings.Count(s, ":") > 1:
		return target{}, errors.New("it is an address in numbers; a name is expected")
	case found:
		n, err := strconv.ParseUint(number, 10, 16)
		if err != nil || n == 0 || number != strconv.FormatUint(n, 10) {
			return target{}, fmt.Errorf("%.20q is no port", number)
		}
		port = uint16(n)
	case port == 0:
		return target{}, errors.New("the port is missing")
	}
	return target{host, port}, checkName(host)
}

// checkName returns an error unless resolvers, TLS and people all read the host name in the same way.
func checkName(host string) error {
	if host == "" || len(host) > 253 {
		return errors.New("it is no host's name")
	}
	labels := strings.Split(host, ".")
	for _, l := range labels {
		if l == "" || len(l) > 63 || l[0] == '-' || l[len(l)-1] == '-' || strings.ContainsFunc(l, notOfName) {
			return errors.New("a name has lower-case letters, digits, hyphens and single dots only")
		}
	}
	// Resolvers read 127.1, 0x7f.1 and 2130706433 as addresses. No top-level domain begins with a digit.
	if last := labels[len(labels)-1]; last[0] >= '0' && last[0] <= '9' {
		return errors.New("it is an address in numbers; a name is expected")
	}
	return nil
}

func notOfName(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-'
}
