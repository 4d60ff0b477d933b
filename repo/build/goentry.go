package build

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// A goEntry is a complete entry of a Go build cache. It consists of two files: <action>-a has one line with the hash
// and the size of the contents, and <hash>-d holds the contents. Go writes the contents first. Contents that are gone
// it makes again, and then writes both files, which it cannot do through a link to a read-only cache. If the contents
// are an index of a package, Go then says that the package does not exist, so an index is copied and not linked.
type goEntry struct {
	action   string // path of the first file, from the cache's folder
	line     []byte // all of that file
	contents string // path of the second file, or of a folder with a program
	index    []byte // the contents, if they are an index of a package
}

// goEntries are the entries of a cache when its folders had these times. A file that is made or removed changes the
// time of its folder.
type goEntries struct {
	times   string
	entries []goEntry
}

// readAgain returns the complete entries of a cache. It reads them only if they have changed since last, which may be nil.
func readAgain(last *goEntries, cache fs.FS) (*goEntries, error) {
	var times strings.Builder
	folders, err := fs.ReadDir(cache, ".")
	if err != nil {
		return nil, err
	}
	for _, d := range folders {
		if info, err := d.Info(); err == nil {
			fmt.Fprintln(&times, d.Name(), info.ModTime().UnixNano())
		}
	}
	if last != nil && last.times == times.String() {
		return last, nil
	}
	entries, err := readGoEntries(cache)
	return &goEntries{times: times.String(), entries: entries}, err
}

// goActionLine matches the file of an action. Go ignores a file of another form.
var goActionLine = regexp.MustCompile(`\Av1 ([0-9a-f]{64}) ([0-9a-f]{64}) +([0-9]{1,18}) [ 0-9]{20}\n\z`)

const goActionSize = 175

// readGoEntries returns the complete entries of a cache, which Go may be writing meanwhile. The tests of the base
// branch may have put any other files into it.
func readGoEntries(cache fs.FS) ([]goEntry, error) {
	actions, err := fs.Glob(cache, "[0-9a-f][0-9a-f]/*-a")
	if err != nil {
		return nil, err
	}
	var out []goEntry
	for _, action := range actions {
		line := readStart(cache, action, goActionSize+1)
		contents, size, ok := parseGoAction(action, line)
		if ok && hasContents(cache, contents, size) {
			e := goEntry{action: action, line: line, contents: contents}
			e.readIndex(cache, size)
			out = append(out, e)
		}
	}
	return out, nil
}

// parseGoAction returns the path and the size of the contents that the file of an action names.
func parseGoAction(action string, line []byte) (contents string, size int64, ok bool) {
	m := goActionLine.FindSubmatch(line)
	if m == nil || string(m[1][:2])+"/"+string(m[1])+"-a" != action {
		return "", 0, false
	}
	size, err := strconv.ParseInt(string(m[3]), 10, 64)
	return string(m[2][:2]) + "/" + string(m[2]) + "-d", size, err == nil
}

// readStart returns the first bytes of a file, or nil if it cannot be read.
func readStart(cache fs.FS, name string, most int64) []byte {
	f, err := cache.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, most))
	if err != nil {
		return nil
	}
	return text
}

// hasContents reports whether contents have that size. Of a program it is the size of the only file in their folder.
func hasContents(cache fs.FS, name string, size int64) bool {
	info, err := fs.Lstat(cache, name)
	if err == nil && info.IsDir() {
		files, failed := fs.ReadDir(cache, name)
		if failed != nil || len(files) != 1 {
			return false
		}
		info, err = files[0].Info()
	}
	return err == nil && info.Mode().IsRegular() && info.Size() == size
}

// readIndex sets the entry's index, if its contents are one.
func (e *goEntry) readIndex(cache fs.FS, size int64) {
	const begin, most = "go index v", 4 << 20
	if size > most || !strings.HasPrefix(string(readStart(cache, e.contents, int64(len(begin)))), begin) {
		return
	}
	if text := readStart(cache, e.contents, size); int64(len(text)) == size {
		e.index = text
	}
}

// writeGoEntries writes the entries to the empty cache dir: indexes as files, and all else as links to the cache at
// target. own is called between the two.
func writeGoEntries(entries []goEntry, dir, target string, own func(dir string) error) error {
	made := map[string]bool{}
	var links []string
	for _, e := range entries {
		for name, text := range map[string][]byte{e.action: e.line, e.contents: e.index} {
			folder := filepath.Join(dir, filepath.Dir(name))
			if made[name] {
				continue // entries can have the same contents
			}
			if !made[folder] {
				if err := os.Mkdir(folder, 0o755); err != nil {
					return err
				}
			}
			made[name], made[folder] = true, true
			if e.index == nil {
				links = append(links, name)
			} else if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
				return err
			}
		}
	}
	if err := own(dir); err != nil {
		return err
	}
	for _, name := range links {
		if err := os.Symlink(filepath.Join(target, name), filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
