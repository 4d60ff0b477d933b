package build

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/disk"
)

// goAction returns the line of an action whose contents have that hash and size.
func goAction(action, contents string, size int) string {
	return fmt.Sprintf("v1 %s %s %20d %20d\n", action, contents, size, 1)
}

func id(of string) string { return strings.Repeat(of, 32) }

// TestOnlyCompleteEntriesAreRead has an entry of each kind that Go leaves while it writes, and others that tests of a base
// branch could have put there.
func TestOnlyCompleteEntriesAreRead(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	put := func(name, text string) {
		file := filepath.Join(dir, name[:2], name)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
	}
	put(id("11")+"-a", goAction(id("11"), id("aa"), 4))
	put(id("aa")+"-d", "text")
	put(id("12")+"-a", goAction(id("12"), id("ab"), 11))
	put(id("ab")+"-d", "go index v2")
	put(id("13")+"-a", goAction(id("13"), id("ac"), 9)) // of a program
	put(id("ac")+"-x", "")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "ac", id("ac")+"-d"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "ac", id("ac")+"-d", "program"), []byte("a program"), 0o755))

	put(id("21")+"-a", goAction(id("21"), id("ad"), 4)) // no contents
	put(id("22")+"-a", goAction(id("22"), id("aa"), 5)) // not all contents
	put(id("23")+"-a", goAction(id("23"), id("aa"), 4)[:100])
	put(id("24")+"-a", goAction(id("24"), id("aa"), 4)+"\n")
	put(id("25")+"-a", goAction(id("26"), id("aa"), 4))
	put(id("27")+"-a", goAction(id("27"), id("ae"), 4))
	put(id("ae")+"-x", "")
	require.NoError(t, os.Symlink("/etc/passwd", filepath.Join(dir, "ae", id("ae")+"-d")))

	root, err := os.OpenRoot(dir)
	require.NoError(t, err)
	defer root.Close()
	read, err := readAgain(nil, disk.PlainFS(root))
	require.NoError(t, err)
	var found []string
	for _, e := range read.entries {
		found = append(found, e.action[:2]+" "+string(e.index))
	}
	require.Equal(t, []string{"11 ", "12 go index v2", "13 "}, found)

	again, err := readAgain(read, disk.PlainFS(root))
	require.NoError(t, err)
	require.Same(t, read, again, "nothing has changed")
	put(id("ad")+"-d", "late")
	again, err = readAgain(read, disk.PlainFS(root))
	require.NoError(t, err)
	require.Len(t, again.entries, 4)
}

// FuzzGoAction reads lines that the tests of a base branch could have written: no path leads out of the cache.
func FuzzGoAction(f *testing.F) {
	f.Add(id("11"), goAction(id("11"), id("aa"), 4))
	f.Add(id("11"), goAction(id("11"), "../"+id("aa")[3:], 4))
	f.Add("", "v1 \n")
	f.Fuzz(func(t *testing.T, action, line string) {
		contents, size, ok := parseGoAction(fmt.Sprintf("%.2s/%s-a", action, action), []byte(line))
		if !ok {
			return
		}
		require.Len(t, line, goActionSize)
		require.Regexp(t, `\A[0-9a-f]{2}/[0-9a-f]{64}-d\z`, contents)
		require.GreaterOrEqual(t, size, int64(0))
	})
}
