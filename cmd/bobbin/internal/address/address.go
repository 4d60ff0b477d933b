package address

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"unicode"
)

// scpForm matches ssh's short form of an address: git@github.com:acme/shop.git.
var scpForm = regexp.MustCompile(`^[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^:]+$`)

// hostForm matches an address without a scheme: github.com/acme/shop.
var hostForm = regexp.MustCompile(`^[a-z0-9-]+(\.[a-z0-9-]+)+/[^\s]+$`)

// CheckURL returns what is wrong with the address of a repository. It accepts http, https and ssh (also
// git@host:path) URLs, file URLs and absolute paths.
func CheckURL(s string) error {
	if strings.ContainsFunc(s, unicode.IsControl) || strings.TrimSpace(s) != s {
		return errors.New("it has white space where none belongs")
	}
	if filepath.IsAbs(s) || scpForm.MatchString(s) {
		return nil
	}
	u, err := url.Parse(s)
	switch {
	case strings.HasPrefix(s, "~"):
		return errors.New("~ is not resolved; write the whole path")
	case err != nil:
		return errors.New("it cannot be read as an address")
	case hostForm.MatchString(s):
		return fmt.Errorf("it has no scheme; did you mean https://%s?", s)
	case u.User != nil && hasPassword(u):
		return errors.New("a password does not belong in it; use BOBBIN_GIT_TOKEN or token_env")
	case (u.Scheme == "https" || u.Scheme == "http") && u.User != nil: // it may be a token
		return errors.New("a user does not belong in it; use BOBBIN_GIT_TOKEN or token_env")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New("a query or fragment does not belong in it")
	case u.Scheme == "https" || u.Scheme == "http" || u.Scheme == "ssh":
		return checkHost(u)
	case u.Scheme == "file" && u.Host == "" && strings.Trim(u.Path, "/") != "":
		return nil
	case u.Scheme == "file":
		return errors.New("a file address has three slashes and a path: file:///srv/git/shop.git")
	case u.Scheme == "git":
		return errors.New("the git protocol is not encrypted; use https or ssh")
	}
	return errors.New("it has to begin with https://, ssh:// or git@, or be a path that begins with / or ./")
}

func checkHost(u *url.URL) error {
	if u.Hostname() == "" || strings.Trim(u.Path, "/") == "" {
		return errors.New("it needs a host and a path")
	}
	if strings.ContainsAny(u.Hostname(), " _@") {
		return fmt.Errorf("%q is no host", u.Hostname())
	}
	return checkPort(u.Port())
}

func hasPassword(u *url.URL) bool {
	_, set := u.User.Password()
	return set
}

// CheckListen returns what is wrong with a listen address of the form host:port; the host may be empty.
func CheckListen(addr string) error {
	_, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("it has to be host:port, such as 127.0.0.1:8080")
	}
	if port == "" {
		return errors.New("the port is missing")
	}
	return checkPort(port)
}

func checkPort(port string) error {
	if port == "" {
		return nil
	}
	if n, err := strconv.Atoi(port); err != nil || n < 0 || n > 65535 {
		return fmt.Errorf("%q is no port", port)
	}
	return nil
}

// CheckBranch returns why git would refuse s as the name of a branch.
func CheckBranch(s string) error {
	switch {
	case strings.HasPrefix(s, "refs/"):
		return errors.New("leave refs/heads/ out")
	case strings.ContainsAny(s, " ~^:?*[\\") || strings.ContainsFunc(s, unicode.IsControl):
		return errors.New("a branch's name has no spaces and none of ~ ^ : ? * [ \\")
	case strings.HasPrefix(s, "-"), strings.HasPrefix(s, "/"), strings.HasPrefix(s, "."),
		strings.HasSuffix(s, "."), strings.HasSuffix(s, "/"),
		strings.HasSuffix(s, ".lock"), strings.Contains(s,
			".."), strings.Contains(s, "//"), strings.Contains(s, "/."), strings.Contains(s, "@{"):
		return errors.New("git does not accept that as the name of a branch")
	}
	return nil
}

// HideSecret returns the address without its password. In an http or https URL the user is masked too.
func HideSecret(s string) string {
	u, err := url.Parse(s)
	switch {
	case err != nil || u.User == nil:
		return s
	case u.Scheme == "https" || u.Scheme == "http": // the user may be a token
		u.User = url.User("xxxxx")
	}
	return u.Redacted()
}

func IsHTTP(address string) bool {
	return strings.HasPrefix(address, "https://") || strings.HasPrefix(address, "http://")
}

func CheckWebAddress(name, value string) error {
	u, err := url.Parse(value)
	if value == "" || err == nil && u.Host != "" && (u.Scheme == "http" || u.Scheme == "https") {
		return nil
	}
	return fmt.Errorf("environment: %s is not an address that begins with http:// or https://", name)
}

// CheckPages returns what is wrong with the address under which browsers reach the pages of sessions.
func CheckPages(value string) error {
	u, err := url.Parse(value)
	switch {
	case err != nil || !IsHTTP(value) || u.Host == "":
		return errors.New("it has to begin with https:// or http:// and a host, " +
			"such as https://bobbin.example.com")
	case strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" || u.User != nil:
		return errors.New("it has to end with the host; pages are served below /s/ there")
	}
	return nil
}

// OwnHosts returns the hosts of a Postgres URL. Packages of repositories must not reach them.
func OwnHosts(databaseURL string) (hosts []string) {
	u, err := url.Parse(databaseURL)
	if err != nil || databaseURL == "" {
		return nil
	}
	for host := range strings.SplitSeq(u.Host, ",") { // Postgres takes several hosts, with commas
		if name, _, err := net.SplitHostPort(host); err == nil {
			host = name
		}
		if host = strings.Trim(host, "[]"); host != "" {
			hosts = append(hosts, host)
		}
	}
	return hosts
}
