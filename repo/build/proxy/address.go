package proxy

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"time"
)

// A Network resolves host names to addresses and opens connections to addresses. A name that ends with a dot
// is absolute; the search domains of the machine count for any other.
type Network interface {
	Resolve(ctx context.Context, host string) ([]netip.Addr, error)
	Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// machine is the Network of the machine that the proxy runs on.
type machine struct{}

func (machine) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
}

func (machine) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: 20 * time.Second}
	return d.DialContext(ctx, "tcp", to.String())
}

// ranges holds address ranges outside the internet for which netip has no method.
var ranges = parseRanges(
	"0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// internet6 is the range of IPv6 addresses that belong to the internet.
var internet6 = netip.MustParsePrefix("2000::/3")

// inside holds ranges, besides those that netip calls private, that are used in private networks.
var inside = parseRanges("100.64.0.0/10", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24",
	"203.0.113.0/24")

// metadata holds the addresses of cloud metadata services that are not link-local.
var metadata = parseRanges("168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::254/128")

// inPrivate is the reason for refusing a private address. An operator can allow such an address in the
// configuration.
const inPrivate = "in a private network"

func parseRanges(texts ...string) (out []netip.Prefix) {
	for _, s := range texts {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// whyUnfit returns why nothing may be sent to address a, or an empty string if it is allowed. If private is
// set, addresses in private networks are allowed.
func whyUnfit(a netip.Addr, private bool) string {
	if a.Zone() != "" {
		return "link-local"
	}
	a = a.Unmap()
	switch {
	case !a.IsValid(), a.IsUnspecified():
		return "no address"
	case a.IsLoopback():
		return "this machine itself"
	case a.IsLinkLocalUnicast(), a.IsLinkLocalMulticast(), containsAddr(metadata, a):
		return "link-local, where metadata services are"
	case a.IsMulticast():
		return "multicast"
	case a.IsPrivate(), containsAddr(inside, a):
		if private {
			return ""
		}
		return inPrivate
	case a.Is6() && !internet6.Contains(a), containsAddr(ranges, a):
		return "not of the internet"
	}
	return ""
}

func containsAddr(list []netip.Prefix, a netip.Addr) bool {
	return slices.ContainsFunc(list, func(p netip.Prefix) bool { return p.Contains(a) })
}

// isOwnAddr reports whether the address belongs to a network interface of this machine.
func isOwnAddr(a netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true // the own addresses are unknown: refuse every address
	}
	return slices.ContainsFunc(all, func(i net.Addr) bool {
		ip, ok := i.(*net.IPNet)
		mine := netip.Addr{}
		fine := false
		if ok {
			mine, fine = netip.AddrFromSlice(ip.IP)
		}
		return fine && mine.Unmap() == a.Unmap()
	})
}

// dialJudged resolves the host once, checks all its addresses with judgeAddr, and dials one of them. It never
// resolves the name a second time, because the second answer could be another address.
func (p *Proxy) dialJudged(ctx context.Context, t target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Limits.Silence)
	defer cancel()
	found, err := p.cfg.Network.Resolve(ctx, t.host+".")
	if err != nil || len(found) == 0 {
		return nil, p.addMissed(t, "its name cannot be resolved", err)
	}
	for _, a := range found {
		if err := p.judgeAddr(ctx, t, a); err != nil {
			return nil, err
		}
	}
	for _, a := range found {
		var conn net.Conn
		if conn, err = p.cfg.Network.Dial(ctx, netip.AddrPortFrom(a.Unmap(), t.port)); err == nil {
			return conn, nil
		}
	}
	return nil, p.addMissed(t, "it does not answer", err)
}

// DialPublic connects to a port of a host, by its name, if all its addresses are of the internet, or in a
// private network and the host is in c.Private. Of c it uses Private, BlockedHosts, Network and
// Limits.Silence. The error says in words for people why it did not.
func DialPublic(ctx context.Context, c Config, host string, port uint16) (net.Conn, error) {
	c.setDefaults()
	if err := checkName(host); err != nil {
		return nil, refusal(err.Error())
	}
	p := &Proxy{cfg: c}
	conn, err := p.dialJudged(ctx, target{host, port})
	if err != nil && len(p.unreached) > 0 {
		return nil, refusal(p.unreached[0].Why)
	}
	return conn, err
}

// lookUpOwn returns the addresses of a host in Config.BlockedHosts, resolved as the program itself resolves
// it. A host that does not exist has none.
func (p *Proxy) lookUpOwn(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal}, nil
	}
	found, err := p.cfg.Network.Resolve(ctx, host)
	if unknown := (*net.DNSError)(nil); errors.As(err, &unknown) && unknown.IsNotFound {
		return nil, nil
	}
	return found, err
}

// addMissed records a host that was allowed but could not be reached, and returns the error for it.
func (p *Proxy) addMissed(t target, why string, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := (Refusal{t.host, why}); len(p.unreached) < maxRefused && !slices.Contains(p.unreached, m) {
		p.unreached = append(p.unreached, m)
	}
	return fmt.Errorf("%s: %s: %w", t, why, cmp.Or(err, errors.New("there is no address")))
}

// judgeAddr returns a refusal if the address is not an address of the internet, belongs to this machine, or
// belongs to a host in Config.BlockedHosts. If the addresses of such a host cannot be looked up, it refuses
// every address; a host that does not exist has none.
func (p *Proxy) judgeAddr(ctx context.Context, t target, a netip.Addr) error {
	why := whyUnfit(a, slices.Contains(p.cfg.Private, t.host))
	switch {
	case why == "" && p.loginFor(t, true) != nil && whyUnfit(a, false) != inPrivate:
		return refusal(fmt.Sprintf("its address %s is of the internet, where a login needs TLS; "+
			"name it under setup.auth without http://", a))
	case why == inPrivate:
		return refusal(fmt.Sprintf("its address %s is %s; name the host under setup.private if that is meant",
			a, why))
	case why != "":
		return refusal(fmt.Sprintf("its address %s is %s", a, why))
	case isOwnAddr(a):
		return refusal(fmt.Sprintf("its address %s is this machine's", a))
	}
	for _, host := range p.cfg.BlockedHosts {
		ours, err := p.lookUpOwn(ctx, host)
		if err != nil {
			return refusal("whether a service of Bobbin's own is there cannot be looked up now")
		}
		if slices.ContainsFunc(ours, func(o netip.Addr) bool { return o.Unmap() == a.Unmap() }) {
			return refusal("a service of Bobbin's own is there")
		}
	}
	return nil
}
