package address

import (
	"net/url"
	"strings"
)

// codePages holds the path of a line of code below the repository's page, for the known kinds of hosts.
// host is the beginning of the host's name.
var codePages = []struct{ host, page string }{
	{"github.", "/blob/{commit}/{path}#L{line}"},
	{"gitlab.", "/-/blob/{commit}/{path}#L{line}"},
	{"bitbucket.org", "/src/{commit}/{path}#lines-{line}"},
	{"codeberg.org", "/src/commit/{commit}/{path}#L{line}"},
	{"gitea.", "/src/commit/{commit}/{path}#L{line}"},
	{"forgejo.", "/src/commit/{commit}/{path}#L{line}"},
}

// CodeURL returns the template of the web address of a line of code: the configured one, or the one that
// fits the name of the remote's host. It returns an empty string if the host is not known.
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

// hostAndPath returns the host and the path of a remote's web page, from its https, ssh or scp-like
// address.
func hostAndPath(remote string) (host, path string) {
	if scpForm.MatchString(remote) {
		_, remote, _ = strings.Cut(remote, "@")
		host, path, _ = strings.Cut(remote, ":")
	} else if u, err := url.Parse(remote); err == nil && (u.Scheme == "https" || u.Scheme == "ssh") {
		host = u.Host
		path = u.EscapedPath()
		if u.Scheme == "ssh" {
			host = u.Hostname() // the port in the address is the port of ssh
		}
	}
	return strings.ToLower(host), strings.Trim(strings.TrimSuffix(strings.Trim(path, "/"), ".git"), "/")
}

// WebPages returns the website of a remote's host and the repository's page on it; both are empty if there
// is none.
func WebPages(remote string) (site, page string) {
	host, path := hostAndPath(remote)
	scheme := "https://"
	if u, err := url.Parse(remote); err == nil && u.Scheme == "http" {
		scheme = "http://"
		host = strings.ToLower(u.Host)
		path = strings.Trim(strings.TrimSuffix(strings.Trim(u.EscapedPath(), "/"), ".git"), "/")
	}
	if host == "" || path == "" {
		return "", ""
	}
	return scheme + host, scheme + host + "/" + path
}

// CheckCodeURL returns what is wrong with a code URL template, or an empty string.
func CheckCodeURL(s string) string {
	if !strings.HasPrefix(s, "https://") && !strings.HasPrefix(s, "http://") {
		return "code_url has to begin with https:// or http://"
	}
	for _, part := range []string{"{commit}", "{path}"} {
		if !strings.Contains(s, part) {
			return "code_url has no " + part +
				" in it: it is the address of a line of code, with {commit}, {path} and {line}"
		}
	}
	u, err := url.Parse(strings.NewReplacer("{", "", "}", "").Replace(s))
	if err != nil || u.Host == "" || u.User != nil || strings.ContainsAny(s, " |<>\n") {
		return "code_url cannot be read as an address"
	}
	return ""
}
