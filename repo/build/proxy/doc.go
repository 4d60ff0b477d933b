// Package proxy provides the only way out of a sandbox without network access: an HTTP proxy on a unix socket
// that lets requests through to the configured hosts and to no other host.
//
// The proxy accepts CONNECT, whose first bytes must be a TLS ClientHello for the host in the CONNECT line,
// and GET and HEAD of http addresses without a body. A host name must be in its strict form: lower-case
// letters, digits, hyphens and dots. A numeric address, a user, a trailing dot, and a port other than 443 and
// 80 are refused, unless the port was configured together with the host.
//
// The proxy resolves the name itself, once, and dials exactly the address that it checked. It refuses every
// address that is not an ordinary address of the internet: addresses of this machine, private and link-local
// networks, metadata services, multicast, and the program's own services. A host in Config.Private may have
// an address in a private network; the other checks apply to it as well.
//
// To requests for a host in Config.Logins, and to no others, the proxy adds a login. Over TLS it answers in
// place of exactly these hosts, with a certificate of an authority that exists as long as the proxy, and
// sends the request on over a connection whose certificate it verifies. Only reading is let through there:
// GET, HEAD, and the requests with which git fetches. An answer in which the login comes back is not passed
// on.
//
// The proxy does not follow redirects. The client does, and the next request is checked like the first one.
// Header size, idle time, connections and bytes are limited. Each request is logged, and refused requests are
// listed in the Report.
package proxy
