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

// A Network is how names become addresses and addresses connections.
type Network interface {
	Resolve(ctx context.Context, host string) ([]netip.Addr, error)
	Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error)
}

// machine is this machine's own.
type machine struct{}

func (machine) Resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	// The dot keeps a search domain of this machine from being put behind the name.
	return net.DefaultResolver.LookupNetIP(ctx, "ip", host+".")
}

func (machine) Dial(ctx context.Context, to netip.AddrPort) (net.Conn, error) {
	d := net.Dialer{Timeout: 20 * time.Second}
	return d.DialContext(ctx, "tcp", to.String())
}

// ranges that are no part of the internet, beyond those that netip knows by name.
var ranges = parseRanges(
	"0.0.0.0/8", "192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4",
	"2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
)

// internet6 is what of IPv6 there is of the internet.
var internet6 = netip.MustParsePrefix("2000::/3")

// inside are ranges that networks of one's own use besides those that are private by name.
var inside = parseRanges("100.64.0.0/10", "192.0.2.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24")

// metadata are services of clouds for their machines, at addresses like any other.
var metadata = parseRanges("168.63.129.16/32", "100.100.100.200/32", "fd00:ec2::254/128")

// inPrivate is what an operator may have meant.
const inPrivate = "in a private network"

func parseRanges(texts ...string) (out []netip.Prefix) {
	for _, s := range texts {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// whyUnfit says why nothing may be sent to an address; empty if something may.
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

// isOwnAddr reports whether an address is one of this machine's.
func isOwnAddr(a netip.Addr) bool {
	all, err := net.InterfaceAddrs()
	if err != nil {
		return true // nothing is known: nothing is let through
	}
	return slices.ContainsFunc(all, func(i net.Addr) bool {
		ip, ok := i.(*net.IPNet)
		mine, fine := netip.Addr{}, false
		if ok {
			mine, fine = netip.AddrFromSlice(ip.IP)
		}
		return fine && mine.Unmap() == a.Unmap()
	})
}

// dialJudged resolves the host, judges every address that it has, and dials one of those that
// were judged: asked a second time, the name could answer something else.
func (p *Proxy) dialJudged(ctx context.Context, t target) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Limits.Silence)
	defer cancel()
	found, err := p.cfg.Network.Resolve(ctx, t.host)
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

// addMissed records a host that was let through and could not be reached.
func (p *Proxy) addMissed(t target, why string, err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if m := (Refusal{t.host, why}); len(p.unreached) < mostRefused && !slices.Contains(p.unreached, m) {
		p.unreached = append(p.unreached, m)
	}
	return fmt.Errorf("%s: %s: %w", t, why, cmp.Or(err, errors.New("there is no address")))
}

// judgeAddr refuses an address that is not of the internet, or that is one of ours.
func (p *Proxy) judgeAddr(ctx context.Context, t target, a netip.Addr) error {
	why := whyUnfit(a, slices.Contains(p.cfg.Private, t.host))
	switch {
	case why == inPrivate:
		return refusal(fmt.Sprintf("its address %s is %s; name the host under setup.private if that is meant", a, why))
	case why != "":
		return refusal(fmt.Sprintf("its address %s is %s", a, why))
	case isOwnAddr(a):
		return refusal(fmt.Sprintf("its address %s is this machine's", a))
	}
	for _, host := range p.cfg.Never {
		ours, err := p.cfg.Network.Resolve(ctx, host)
		if literal, bad := netip.ParseAddr(host); bad == nil {
			ours, err = []netip.Addr{literal}, nil
		}
		if err == nil && slices.ContainsFunc(ours, func(o netip.Addr) bool { return o.Unmap() == a.Unmap() }) {
			return refusal("a service of Bobbin's own is there")
		}
	}
	return nil
}
