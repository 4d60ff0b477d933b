package repo

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/stretchr/testify/require"
)

// FuzzTree: what is read of a tree is what is written of it; and no name that is let
// through leaves its folder, or is .git to anybody.
func FuzzTree(f *testing.F) {
	hash := strings.Repeat("h", 20)
	for _, seed := range []string{
		"", "100644 a\x00" + hash, "40000 dir\x00" + hash + "100755 run\x00" + hash, "120000 ..\x00" + hash, "160000 .GIT\x00" + hash, "0 a\x00" + hash,
		"100644 a\x00short", "100644 git~1\x00" + hash, "100644 a\\..\\b\x00" + hash, "100644 \u200c.git\x00" + hash, "77777777777 x\x00" + hash, "100644 .git::$INDEX_ALLOCATION\x00" + hash,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		nodes, err := parseTree(raw)
		if err != nil {
			return
		}
		again, err := parseTree(encodeTree(nodes))
		require.NoError(t, err)
		require.ElementsMatch(t, nodes, again)
		for _, n := range nodes {
			if checkNode(n) != nil {
				continue
			}
			require.True(t, filepath.IsLocal(n.name) && filepath.Base(n.name) == n.name, "%q", n.name)
			for _, part := range strings.FieldsFunc(n.name, func(r rune) bool { return r == '\\' || r == '/' }) {
				require.False(t, strings.EqualFold(strings.TrimRight(part, " ."), ".git"), "%q", n.name)
				require.NotEqual(t, "..", part)
			}
			require.Contains(t, []filemode.FileMode{filemode.Dir, filemode.Regular, filemode.Deprecated, filemode.Executable, filemode.Symlink, filemode.Submodule}, n.mode)
		}
	})
}

// FuzzPack: a pack and an index that do not fit together, or are none, are an error and
// never more than they could hold.
func FuzzPack(f *testing.F) {
	o := newOrigin(f)
	text := strings.Repeat("a line that is there often\n", 200)
	o.commit("one", map[string]string{"a.txt": text, "dir/b.txt": "b\n"})
	o.commit("two", map[string]string{"a.txt": text + "and one more\n"})
	m := openMirror(f, &Mirrors{}, Remote{Name: "shop", URL: o.dir})
	packs, err := filepath.Glob(filepath.Join(m.Dir(), "objects", "pack", "*.pack"))
	require.NoError(f, err)
	require.NotEmpty(f, packs)
	pack, err := os.ReadFile(packs[0])
	require.NoError(f, err)
	index, err := os.ReadFile(strings.TrimSuffix(packs[0], ".pack") + ".idx")
	require.NoError(f, err)
	f.Add(pack, index)
	f.Add(pack[:len(pack)/2], index)
	f.Add(pack, index[:len(index)/2])
	f.Add(append([]byte("PACK\x00\x00\x00\x02\x00\x00\x00\x01"), 0x60, 0x00), index)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, pack, index []byte) {
		if len(pack) > 64<<10 || len(index) > 64<<10 {
			return
		}
		name := filepath.Join(dir, fmt.Sprint("pack-", os.Getpid()))
		require.NoError(t, os.WriteFile(name+".pack", pack, 0o600))
		require.NoError(t, os.WriteFile(name+".idx", index, 0o600))
		p, err := openPack(name, newInflaters())
		if err != nil {
			return
		}
		defer p.close()
		nowhere := func(plumbing.Hash) (plumbing.ObjectType, []byte, error) { return 0, nil, errBadPack }
		for row := range min(p.count, 50) {
			offset, ok := p.find(plumbing.Hash(p.name(row)))
			if !ok {
				continue
			}
			kind, content, err := p.read(offset, nowhere)
			if err == nil {
				require.Contains(t, []plumbing.ObjectType{plumbing.CommitObject, plumbing.TreeObject, plumbing.BlobObject, plumbing.TagObject}, kind)
				require.LessOrEqual(t, len(content), 256<<20)
			}
		}
		for at := range int64(min(len(pack), 64)) { // and at places that no index names
			if e, err := p.header(at); err == nil {
				require.Greater(t, e.data, at)
				require.True(t, e.kind != plumbing.OFSDeltaObject || e.base > 0 && e.base < at)
			}
		}
	})
}

// FuzzAdvertised: of what a remote says that it has, branches and tags with names that git
// allows are kept, and its default branch is one of them.
func FuzzAdvertised(f *testing.F) {
	line := func(s string) string { return fmt.Sprintf("%04x%s", len(s)+4, s) }
	const h1, h2 = "1111111111111111111111111111111111111111", "2222222222222222222222222222222222222222"
	for _, seed := range []string{
		line(h1+" HEAD\x00symref=HEAD:refs/heads/main agent=git/2\n") + line(h1+" refs/heads/main\n") + line(h2+" refs/tags/v1\n") + "0000",
		line(h1+" refs/heads/../../etc\x00 \n") + line(h2+" refs/pull/1/head\n") + "0000",
		line(h1+" HEAD\x00symref=HEAD:refs/heads/-x\n") + line(h1+" refs/heads/-x\n") + "0000",
		line("0000000000000000000000000000000000000000 capabilities^{}\x00x\n") + "0000", "0000", "zzzz", "0004", "",
	} {
		f.Add([]byte(seed))
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, raw []byte) {
		adv := packp.NewAdvRefs()
		if err := adv.Decode(bytes.NewReader(raw)); err != nil {
			return
		}
		kept := advertised(adv)
		for name := range kept.hashes {
			require.NoError(t, plumbing.ReferenceName(name).Validate())
			require.True(t, strings.HasPrefix(name, "refs/heads/") || strings.HasPrefix(name, "refs/tags/"), name)
		}
		if kept.head != "" {
			require.Contains(t, kept.hashes, "refs/heads/"+kept.head)
		}
		at := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, kept.write(at))
		again, err := readRefs(at)
		require.NoError(t, err)
		require.Equal(t, kept.hashes, again.hashes, "what is written is read again")
		require.Equal(t, kept.head, again.head)
	})
}

// FuzzRemoteWords: whatever a remote says, people get one line that commands no terminal,
// is not too long, and has no token in it.
func FuzzRemoteWords(f *testing.F) {
	const token = "t0ken-of-the-bot"
	for _, seed := range []string{
		"remote: error: GH006: Protected branch update failed", "no space left on device\x1b[31m", "pre-receive hook declined\nline two " + token, "exists; cannot create", strings.Repeat("x", 5000) + token,
		"https://me:hunter2@host/x", "\u202e evil", "unpack error", "command error on refs/heads/x: no", "<html>", "", "\xff\xfe", "http redirect: " + token, "dubious ownership",
	} {
		f.Add(seed, seed)
		f.Add("EOF", seed)
		f.Add(seed, "")
	}
	f.Fuzz(func(t *testing.T, text, said string) {
		for _, err := range []error{errors.New(text), plumbing.NewUnexpectedError(errors.New(text)), fmt.Errorf("%w: %s", transport.ErrAuthorizationFailed, text), fmt.Errorf("%w: %s", errSentBad, text)} {
			got := remoteError(ctx0(), "push x", Remote{Name: "shop", URL: "https://h/x"}, Credential{Password: token}, err, said)
			var refused *RemoteError
			require.ErrorAs(t, got, &refused)
			line := refused.Error()
			require.NotEmpty(t, refused.Reason)
			require.NotContains(t, line, token)
			require.NotContains(t, fmt.Sprint(refused.Err), token)
			require.NotRegexp(t, `(?i)https?://[^/\s"]*hunter2@`, line)
			require.LessOrEqual(t, len(line), 2000)
			require.True(t, utf8.ValidString(line), "%q", line)
			require.False(t, strings.ContainsFunc(line, func(r rune) bool { return unicode.IsControl(r) && r != '\t' || r >= 0x202a && r <= 0x202e }), "%q", line)
		}
	})
}

// FuzzRetryAfterOfRemotes: a wait is never negative, nor longer than a day.
func FuzzRetryAfterOfRemotes(f *testing.F) {
	for _, seed := range []string{"", "3", "-1", "99999999999999999999", "Wed, 21 Oct 2015 07:28:00 GMT", "Mon, 01 Jan 9999 00:00:00 GMT", "1e3"} {
		f.Add(seed, "")
		f.Add(seed, "Wed, 21 Oct 2015 07:28:00 GMT")
	}
	f.Fuzz(func(t *testing.T, after, date string) {
		d := retryAfter(http.Header{"Retry-After": {after}, "Date": {date}})
		require.GreaterOrEqual(t, d, time.Duration(0))
		require.LessOrEqual(t, d, maxAsked)
	})
}

// FuzzAddress: an address that is shown has no password in it, and the folder of a mirror
// is one name, the same with and without one.
func FuzzAddress(f *testing.F) {
	for _, seed := range []string{"https://me:hunter2@host/x.git", "https://hunter2@host/x", "http://a:b@c@d/e", "git@github.com:acme/shop.git", "ssh://git@h/x", "file:///srv/x", "/srv/x", "https://h/%zz", "https://a b/", "://", ""} {
		f.Add("shop", seed)
	}
	f.Add("../..", "https://h/x")
	f.Fuzz(func(t *testing.T, name, address string) {
		shown := redact(address)
		if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "ssh" {
			again, err := url.Parse(shown)
			require.NoError(t, err)
			require.Nil(t, again.User)
		}
		folder := folderName(Remote{Name: name, URL: address})
		require.True(t, filepath.IsLocal(folder) && filepath.Base(folder) == folder, "%q", folder)
		require.Equal(t, folder, folderName(Remote{Name: name, URL: shown}))
		require.Equal(t, hideCredentials(address), hideCredentials(hideCredentials(address)))
	})
}

// FuzzResolve: whatever a model or a person names a commit by, it is one that there is, or
// an error.
func FuzzResolve(f *testing.F) {
	o := newOrigin(f)
	first := o.commit("one", map[string]string{"a.txt": "a\n"})
	m := openMirror(f, &Mirrors{}, Remote{Name: "shop", URL: o.dir})
	for _, seed := range []string{"", "main", first, first[:7], "HEAD", "refs/heads/main", "main~1", "--help", "../x", "main\x00", "v1", strings.Repeat("0", 40)} {
		f.Add(seed, "a.txt")
	}
	f.Add("main", "../a.txt")
	f.Fuzz(func(t *testing.T, name, path string) {
		got, err := m.Resolve(name)
		if err == nil {
			require.Equal(t, first, got)
		} else {
			require.NotContains(t, err.Error(), "\n")
		}
		if text, err := m.ReadFile(first, path); err == nil {
			require.Equal(t, "a\n", string(text))
			require.Equal(t, "a.txt", filepath.Clean(path))
		}
	})
}

// FuzzDecides: no spelling of a file's folders takes away that it decides something, and
// upper case is no way around it.
func FuzzDecides(f *testing.F) {
	for _, seed := range []string{".github/workflows/ci.yml", "CODEOWNERS", "docs/CodeOwners", "go.sum", "a/b.go", ".husky/pre-commit", "Jenkinsfile.prod", ".gitattributes", "x/.gitlab-ci.yml", "\xff"} {
		f.Add(seed, "")
		f.Add(seed, "executable")
	}
	f.Fuzz(func(t *testing.T, path, mode string) {
		got := Change{Path: path, Mode: mode, Kind: "changed"}.Decides()
		if path == strings.ToLower(path) && strings.ToLower(strings.ToUpper(path)) == path {
			require.Equal(t, got, Change{Path: strings.ToUpper(path), Mode: mode, Kind: "changed"}.Decides())
		}
		if got != "" && path != "" && path[0] != '/' {
			require.NotEmpty(t, Change{Path: "services/" + path, Mode: mode, Kind: "changed"}.Decides())
		}
		require.NotEmpty(t, Change{Path: ".github/workflows/" + path, Mode: mode, Kind: "changed"}.Decides())
	})
}

// FuzzMergeText: what one side alone has changed is what comes out; a merge with itself
// changes nothing.
func FuzzMergeText(f *testing.F) {
	f.Add("a\nb\nc\n", "a\nB\nc\n", "a\nb\nC\n")
	f.Add("", "x", "y\r\n")
	f.Add("a\n", "", "a\nb")
	f.Fuzz(func(t *testing.T, base, ours, theirs string) {
		if len(base)+len(ours)+len(theirs) > 4000 {
			return
		}
		for _, c := range []struct{ base, ours, theirs, want string }{
			{base, base, theirs, theirs}, {base, ours, base, ours}, {base, ours, ours, ours},
		} {
			got, conflicts := mergeText([]byte(c.base), []byte(c.ours), []byte(c.theirs))
			require.Empty(t, conflicts)
			require.Equal(t, c.want, string(got))
		}
		mergeText([]byte(base), []byte(ours), []byte(theirs))
	})
}

// FuzzIgnoreFile: whatever a .gitignore holds, it is read, and a link or a pipe in its
// place has no say.
func FuzzIgnoreFile(f *testing.F) {
	for _, seed := range []string{"*.log\n!keep\n", "/a/\n\n# b\n", "[", strings.Repeat("x", 100_000), "\xff\x00", "**/**/**/a\n"} {
		f.Add([]byte(seed), "a/b.log")
	}
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, path string) {
		at := filepath.Join(dir, fmt.Sprint(os.Getpid()))
		require.NoError(t, os.MkdirAll(at, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(at, ".gitignore"), text, 0o600))
		d, err := os.Open(at)
		require.NoError(t, err)
		defer d.Close()
		patterns := readIgnore(d, nil)
		require.LessOrEqual(t, len(patterns), 1+bytes.Count(text, []byte("\n")))
		for _, p := range patterns[:min(len(patterns), 100)] {
			p.Match(strings.Split(path, "/"), false)
		}
	})
}
