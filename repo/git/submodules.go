package git

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/config"
	"github.com/go-git/go-git/v5/plumbing"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// A Submodule is the pin of another repository in a commit.
type Submodule struct {
	Path    string        // of its folder
	Commit  string        // whole hash
	URL     string        // as .gitmodules has it; it may have a password
	Host    string        // of its address, for messages; empty: it has none
	Remote  remote.Remote // with the credentials of the repository that it is a part of
	Refused string        // why its address is not used, for people; then there is no Remote
}

// maxModules is the largest size in bytes of a .gitmodules that is read.
const maxModules = 256 << 10

// Submodules returns the submodules of a commit of the repository that of is the remote of. Nothing is
// contacted. Their addresses must be at the host of that remote; relative ones count from its address, as for
// git.
func (cs Commits) Submodules(
	ctx context.Context, commit string, of remote.Remote,
) ([]Submodule, error) {
	text, err := cs.ReadFile(commit, ".gitmodules")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	modules := config.NewModules()
	if len(text) > maxModules || modules.Unmarshal(text) != nil {
		modules = config.NewModules() // then no pin has an address
	}
	c, err := cs.named(commit)
	if err != nil {
		return nil, err
	}
	pins, err := gittree.ListPins(ctx, cs.Store, c.TreeHash)
	var out []Submodule
	for _, pin := range pins {
		s := Submodule{Path: pin.Path, Commit: pin.Commit, Refused: "`.gitmodules` has no address for it"}
		for _, m := range modules.Submodules {
			if path.Clean(m.Path) == pin.Path {
				s.URL = m.URL
				s.Remote, s.Host, s.Refused = resolveSubmodule(of, m.URL)
			}
		}
		out = append(out, s)
	}
	return out, err
}

// scpAddress matches an address of ssh in its short form, user@host:path.
var scpAddress = regexp.MustCompile(`^(?:([^@/:]+)@)?([^/:@]+):([^:].*)$`)

// parseRemote returns an address of a remote as an URL, or why it cannot be used.
func parseRemote(address string) (*url.URL, string) {
	if strings.ContainsFunc(address, func(r rune) bool { return r < ' ' || r == 0x7f || r == '\\' }) {
		return nil, "its address has characters that no address has"
	}
	if m := scpAddress.FindStringSubmatch(address); m != nil && !strings.Contains(address, "://") {
		u := &url.URL{Scheme: "ssh", Host: m[2], Path: "/" + strings.TrimPrefix(m[3], "/")}
		if m[1] != "" {
			u.User = url.User(m[1])
		}
		return u, ""
	}
	u, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, "its address cannot be read"
	case u.Scheme == "" || u.Scheme == "file":
		return nil, "its address is a folder of the machine that I run on"
	case !slices.Contains([]string{"https", "http", "ssh"}, u.Scheme) || u.Host == "":
		return nil, "its address is not of https or ssh"
	case slices.Contains(strings.Split(u.Path, "/"), ".."):
		return nil, "its address has .. in it"
	}
	return u, ""
}

// resolveSubmodule returns the remote of a submodule with that address, and its host; or why it is not used.
func resolveSubmodule(of remote.Remote, address string) (r remote.Remote, host, refused string) {
	base, refused := parseRemote(of.URL)
	if refused != "" {
		return r, "", "only submodules of a repository at a host are fetched"
	}
	at := *base
	if strings.HasPrefix(address, "./") || strings.HasPrefix(address, "../") {
		parts := strings.Split(strings.Trim(base.Path, "/"), "/")
		rest := address
		for strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../") {
			inner, up := strings.CutPrefix(rest, "../")
			if up && len(parts) == 0 {
				return r, base.Hostname(), "its address leads out of the host"
			}
			if up {
				parts = parts[:len(parts)-1]
			} else {
				inner = strings.TrimPrefix(rest, "./")
			}
			rest = strings.TrimLeft(inner, "/")
		}
		if slices.Contains(strings.Split(rest, "/"), "..") {
			return r, base.Hostname(), "its address has .. in it"
		}
		at.Path = "/" + path.Join(append(parts, rest)...)
	} else {
		own, refused := parseRemote(address)
		if refused != "" {
			return r, "", refused
		}
		if !sameHost(base, own) {
			return r, own.Hostname(), "it is at another host than the repository, and only those at " +
				base.Hostname() + " are fetched"
		}
		at.Path = own.Path
	}
	at.RawPath = ""
	at.RawQuery = ""
	at.Fragment = ""
	name := strings.TrimSuffix(path.Base(at.Path), ".git")
	return remote.Remote{Name: "submodule-" + name, URL: at.String(), Credentials: of.Credentials},
		base.Hostname(), ""
}

// sameHost reports whether a submodule's address is at the host of the repository's: at the same port, or at
// the usual one of another scheme.
func sameHost(base, own *url.URL) bool {
	if !strings.EqualFold(base.Hostname(), own.Hostname()) {
		return false
	}
	usual := map[string]string{"https": "443", "http": "80", "ssh": "22"}
	port := func(u *url.URL) string {
		if p := u.Port(); p != "" {
			return p
		}
		return usual[u.Scheme]
	}
	if base.Scheme == own.Scheme {
		return port(base) == port(own)
	}
	return port(own) == usual[own.Scheme]
}

// SubmoduleAt returns the folder of the submodule that a path of the workspace is in, by the base commit, or
// an empty string.
func (w *Workspace) SubmoduleAt(name string) string {
	c, err := w.mirror.store.Commit(plumbing.NewHash(w.Base()))
	if err != nil {
		return ""
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		at := strings.Join(parts[:i+1], "/")
		n, err := gittree.FindNode(w.mirror.store, c.TreeHash, at)
		if err != nil {
			return ""
		}
		if n.Mode == gittree.Submodule {
			return at
		}
	}
	return ""
}
