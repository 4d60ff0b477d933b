package git

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/config"

	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/remote"
)

// LFS is what a commit keeps in Git LFS.
type LFS struct {
	Patterns []string // of the .gitattributes files, for paths that are kept there
	Files    []LFSFile
	More     int    // how many files beyond MaxLFSFiles are not in Files, at most
	Next     string // the first of those
	URL      string // lfs.url of .lfsconfig; empty: the usual address of the remote
}

// An LFSFile is a file of a commit that is only a pointer: its content is an object of Git LFS.
type LFSFile struct {
	Path       string
	OID        string // SHA-256 of the content, in hex
	Size       int64  // of the content, in bytes
	Executable bool
}

// Limits for pointers.
const (
	// MaxLFSFiles is the most files of LFS.Files.
	MaxLFSFiles = 5000
	// MaxPointer is more than the size of any pointer, in bytes.
	MaxPointer = 1024
	// maxAttributes is the largest size in bytes of a .gitattributes or .lfsconfig that is read.
	maxAttributes = 256 << 10
)

// pointerKey matches the first line of a pointer.
var pointerKey = regexp.MustCompile(`^version https://(?:git-lfs\.github\.com|hawser\.github\.com)/spec/v1$`)

var oidForm = regexp.MustCompile(`^sha256:([0-9a-f]{64})$`)

// ParsePointer reads a pointer of Git LFS. ok is false for any other text, and for a pointer with extensions,
// whose object is not the content itself.
func ParsePointer(text []byte) (oid string, size int64, ok bool) {
	if len(text) >= MaxPointer {
		return "", 0, false
	}
	lines := strings.Split(strings.TrimRight(string(text), "\r\n"), "\n")
	if !pointerKey.MatchString(strings.TrimSuffix(lines[0], "\r")) {
		return "", 0, false
	}
	size = -1
	for _, line := range lines[1:] {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\r"), " ")
		switch {
		case strings.HasPrefix(key, "ext-"):
			return "", 0, false
		case key == "oid":
			if m := oidForm.FindStringSubmatch(value); m != nil {
				oid = m[1]
			}
		case key == "size":
			if n, err := strconv.ParseInt(value, 10, 64); err == nil {
				size = n
			}
		}
	}
	return oid, size, oid != "" && size >= 0
}

// LFS returns what a commit keeps in Git LFS. Nothing is contacted. What cannot be read of the commit's
// attributes keeps nothing there.
func (cs Commits) LFS(ctx context.Context, commit string) (LFS, error) {
	paths, err := cs.ListPaths(ctx, commit, func(string) bool { return false })
	if err != nil {
		return LFS{}, err
	}
	files, err := cs.Files(commit)
	if err != nil {
		return LFS{}, err
	}
	return FindLFS(ctx, files, paths)
}

// FindLFS is Commits.LFS for files with these paths.
func FindLFS(ctx context.Context, files fs.FS, paths []string) (found LFS, err error) {
	rules := attributeRules(files, paths)
	for _, r := range rules {
		if r.lfs {
			found.Patterns = append(found.Patterns, r.pattern)
		}
	}
	if len(found.Patterns) == 0 {
		return found, nil
	}
	found.URL = lfsURL(readSmall(files, ".lfsconfig", maxAttributes))
	for _, file := range paths {
		if !keepsInLFS(rules, file) {
			continue
		}
		if len(found.Files) == MaxLFSFiles {
			found.Next = cmp.Or(found.Next, file)
			found.More++
			continue
		}
		if err := ctx.Err(); err != nil {
			return found, err
		}
		info, err := fs.Stat(files, file)
		if err != nil || info.Size() >= MaxPointer {
			continue
		}
		oid, size, ok := ParsePointer(readSmall(files, file, MaxPointer))
		if !ok {
			continue
		}
		found.Files = append(found.Files, LFSFile{file, oid, size, info.Mode()&0o111 != 0})
	}
	return found, nil
}

// readSmall returns the content of a file, or nil if there is none or it has more bytes than most.
func readSmall(files fs.FS, name string, most int64) []byte {
	f, err := files.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most+1))
	if err != nil || int64(len(text)) > most {
		return nil
	}
	return text
}

// An attributeRule is a line of a .gitattributes file that says of files whether they are kept in LFS.
type attributeRule struct {
	folder  string // of the file; empty: the top
	pattern string
	lfs     bool
}

// attributeRules returns the rules of all .gitattributes files. Of those that match, the last counts.
func attributeRules(files fs.FS, paths []string) (rules []attributeRule) {
	var named []string
	for _, file := range paths {
		if path.Base(file) == ".gitattributes" {
			named = append(named, file)
		}
	}
	slices.SortStableFunc(named, func(a, b string) int {
		return cmp.Compare(strings.Count(a, "/"), strings.Count(b, "/"))
	})
	for _, file := range named {
		folder := strings.TrimPrefix(path.Dir(file), ".")
		for _, r := range parseAttributes(string(readSmall(files, file, maxAttributes))) {
			r.folder = folder
			rules = append(rules, r)
		}
	}
	return rules
}

// parseAttributes returns the rules of the text of a .gitattributes file.
func parseAttributes(text string) (rules []attributeRule) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		pattern, rest, _ := strings.Cut(strings.ReplaceAll(line, "\t", " "), " ")
		if quoted, ok := strings.CutPrefix(line, `"`); ok {
			pattern, rest, _ = strings.Cut(quoted, `"`)
		}
		if pattern == "" || strings.HasPrefix(pattern, "#") {
			continue
		}
		r := attributeRule{pattern: strings.ReplaceAll(pattern, "[[:space:]]", "[ ]")}
		says := false
		for word := range strings.FieldsSeq(rest) {
			if name, _, _ := strings.Cut(strings.TrimLeft(word, "-!"), "="); name == "filter" {
				says = true
				r.lfs = word == "filter=lfs"
			}
		}
		if says {
			rules = append(rules, r)
		}
	}
	return rules
}

// keepsInLFS reports whether the rules keep a file in LFS.
func keepsInLFS(rules []attributeRule, file string) bool {
	for _, r := range slices.Backward(rules) {
		if r.matches(file) {
			return r.lfs
		}
	}
	return false
}

func (r attributeRule) matches(file string) bool {
	if r.folder != "" {
		inside, ok := strings.CutPrefix(file, r.folder+"/")
		if !ok {
			return false
		}
		file = inside
	}
	if !strings.Contains(r.pattern, "/") {
		return doublestar.MatchUnvalidated(r.pattern, path.Base(file))
	}
	return doublestar.MatchUnvalidated(strings.TrimPrefix(r.pattern, "/"), file)
}

// lfsURL returns lfs.url of the text of a .lfsconfig, or an empty string.
func lfsURL(text []byte) string {
	c := config.New()
	if err := config.NewDecoder(strings.NewReader(string(text))).Decode(c); err != nil {
		return ""
	}
	return c.Section("lfs").Option("url")
}

// Server returns the address of the server that has the objects of the repository with the remote of, and
// whether it is at the host of that remote. refused says, for people, why there is none.
func (l LFS) Server(of remote.Remote) (at *url.URL, own bool, refused string) {
	base, refused := parseRemote(of.URL)
	if refused != "" {
		return nil, false, "only objects of a repository at a host are fetched"
	}
	if l.URL != "" {
		at, refused := parseRemote(l.URL)
		switch {
		case refused != "":
			return nil, false, "lfs.url of `.lfsconfig`: " + refused
		case at.Scheme == "ssh":
			return at, false, "lfs.url of `.lfsconfig` is for ssh, and objects come over https only"
		}
		at.User = nil
		at.RawQuery = ""
		at.Fragment = ""
		return at, sameHost(base, at) && !(base.Scheme == "https" && at.Scheme == "http"), ""
	}
	if base.Scheme == "ssh" {
		return base, true, "the repository is fetched over ssh, and objects come over https only"
	}
	at = &url.URL{Scheme: base.Scheme, Host: base.Host, Path: strings.TrimSuffix(base.Path, "/")}
	at.Path = strings.TrimSuffix(at.Path, ".git") + ".git/info/lfs"
	return at, true, ""
}

// LFSAt reports whether the base commit of the workspace keeps the file at a path in Git LFS: it is a
// pointer, or it would be one if it were new.
func (w *Workspace) LFSAt(name string) bool {
	files, err := w.baseFiles()
	if err != nil {
		return false
	}
	if !keepsInLFS(attributeRules(files, attributeFiles(name)), name) {
		return false
	}
	text := readSmall(files, name, MaxPointer)
	if _, err := fs.Stat(files, name); err == nil {
		_, _, pointer := ParsePointer(text)
		return pointer
	}
	return true
}

// attributeFiles returns the paths at which attributes of a file may be.
func attributeFiles(name string) (paths []string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		paths = append(paths, path.Join(dir, ".gitattributes"))
		if dir == "." || dir == "/" {
			return paths
		}
	}
}

// baseFiles returns the files of the base commit.
func (w *Workspace) baseFiles() (fs.FS, error) {
	c, err := w.mirror.store.Commit(plumbing.NewHash(w.Base()))
	if err != nil {
		return nil, err
	}
	return gittree.FS(w.mirror.store, c.TreeHash), nil
}
