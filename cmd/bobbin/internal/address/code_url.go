package address

import (
	"net/url"
	"strings"
)

// codePages are the addresses of a line of code at hosts that are known, behind the
// repository's own page, by what the host's name is or begins with.
var codePages = []struct{ host, page string }{
	{"github.", "/blob/{commit}/{path}#L{line}"},
	{"gitlab.", "/-/blob/{commit}/{path}#L{line}"},
	{"bitbucket.org", "/src/{commit}/{path}#lines-{line}"},
	{"codeberg.org", "/src/commit/{commit}/{path}#L{line}"},
	{"gitea.", "/src/commit/{commit}/{path}#L{line}"},
	{"forgejo.", "/src/commit/{commit}/{path}#L{line}"},
}

// CodeURL is where a remote's host shows a line of code: as configured, else by the host's
// name; empty where neither tells.
func CodeURL(configured, remote string) string {
	if configured != "" {
		return configured
	}
	host, path := hostAndPath(remote)
	for _, p := range codePages {
		if path != "" && strings.HasPrefix(host, p.host) {
			return "https://" + host + "/" + path + p.page
		}
	}
	return ""
}

// hostAndPath are those of a remote's web pages, whichever way git reaches it.
func hostAndPath(remote string) (host, path string) {
	if scpForm.MatchString(remote) {
		_, remote, _ = strings.Cut(remote, "@")
		host, path, _ = strings.Cut(remote, ":")
	} else if u, err := url.Parse(remote); err == nil && (u.Scheme == "https" || u.Scheme == "ssh") {
		host, path = u.Host, u.EscapedPath()
		if u.Scheme == "ssh" {
			host = u.Hostname() // the port is that of ssh
		}
	}
	return strings.ToLower(host), strings.Trim(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
}

// WebPages are a remote's site and the repository's own page there; empty where it has none.
func WebPages(remote string) (site, page string) {
	host, path := hostAndPath(remote)
	scheme := "https://"
	if u, err := url.Parse(remote); err == nil && u.Scheme == "http" {
		scheme, host = "http://", strings.ToLower(u.Host)
		path = strings.Trim(strings.TrimSuffix(strings.Trim(u.EscapedPath(), "/"), ".git"), "/")
	}
	if host == "" || path == "" {
		return "", ""
	}
	return scheme + host, scheme + host + "/" + path
}

// CheckCodeURL says what is wrong with one; empty for nothing.
func CheckCodeURL(s string) string {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return "code_url has to begin with https:// or http://"
	}
	for _, part := range []string{"{commit}", "{path}"} {
		if !strings.Contains(s, part) {
			return "code_url has no " + part + " in it: it is the address of a line of code, with {commit}, {path} and {line}"
		}
	}
	u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(s))
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(s, " |<>\n") {
		return "code_url cannot be read as an address"
	}
	return ""
}
