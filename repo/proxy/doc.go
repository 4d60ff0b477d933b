// Package proxy is the one way out of a sandbox that has no network: an HTTP proxy on a
// unix socket, which lets through what goes to hosts that somebody named, and nothing else.
//
// What it takes: CONNECT, whose first bytes have to be a TLS hello for the very host that
// was asked for, and GET and HEAD of http addresses, without a body. A name is taken as it
// is written or not at all: lower case, letters, digits, hyphens and dots; no address in
// numbers, no user, no dot at the end, no port but 443 and 80 unless it was named with the host.
//
// The proxy resolves the name itself, once, and dials the very address that it judged.
// It refuses whatever is no ordinary address of the internet: this machine, private and
// link-local networks, metadata services, multicast, and the program's own services. A host
// in Config.Private may be in a private network; the rest holds for it, too.
//
// Redirects are the client's to follow: the next request is judged like the first.
// Headers, silence, connections and bytes are bounded. Each request is logged, and what was
// refused stands in the Report.
package proxy
