package repository

import (
	"net/url"
	"regexp"
	"strings"
)

// Page returns the address of the repository's page: that of its host's configuration, otherwise the one that
// its own address tells. It is empty for a folder.
func (r Repository) Page() string {
	if r.Pulls.Web != "" {
		return r.Pulls.Web
	}
	address := r.URL
	if m := shortSSH.FindStringSubmatch(address); m != nil {
		address = "https://" + m[1] + "/" + m[2]
	}
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return ""
	}
	site := "https://" + u.Host
	switch u.Scheme {
	case "http":
		site = "http://" + u.Host
	case "ssh":
		site = "https://" + u.Hostname()
	}
	return site + strings.TrimSuffix(u.Path, ".git")
}

// shortSSH matches an address of ssh in its short form, user@host:path.
var shortSSH = regexp.MustCompile(`^[\w.-]+@([\w.-]+):(.+)$`)
