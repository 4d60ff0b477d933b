// Package osv looks up advisories about vulnerable packages in files of the form OSV
// (https://ossf.github.io/osv-schema/): a folder of JSON files, or of the zip exports that hold them. The
// files come from others, and may hold anything: what cannot be read is left out.
package osv

import (
	"archive/zip"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"
)

// An Entry is an advisory.
type Entry struct {
	ID        string
	Aliases   []string
	Summary   string
	Modified  time.Time
	Withdrawn *time.Time
	Affected  []Affected
}

// Affected says which versions of a package are affected.
type Affected struct {
	Package  struct{ Ecosystem, Name string }
	Versions []string
	Ranges   []Range
}

// A Range holds events on a line of versions.
type Range struct {
	Type   string // SEMVER, ECOSYSTEM or GIT
	Events []Event
}

// An Event is where versions begin or end to be affected; one field is set.
type Event struct {
	Introduced   string
	Fixed        string
	LastAffected string `json:"last_affected"`
	Limit        string
}

// Limits for what is read.
const (
	maxEntry   = 1 << 20 // bytes of an advisory
	maxEntries = 500_000
	maxZip     = 2 << 30 // bytes of an export
	maxFound   = 50      // entries for one name
)

// idForm matches the names by which people name advisories.
var idForm = regexp.MustCompile(`(?i)\b(?:CVE-[0-9]{4}-[0-9]{4,12}|GHSA(?:-[23456789cfghjmpqrvwx]{4}){3})\b`)

// maxIDs is how many names of one text are looked up.
const maxIDs = 10

// IDs returns the names of advisories in a text, as OSV writes them, without duplicates.
func IDs(text string) (ids []string) {
	for _, id := range idForm.FindAllString(text, -1) {
		id = canonical(id)
		if !slices.Contains(ids, id) && len(ids) < maxIDs {
			ids = append(ids, id)
		}
	}
	return ids
}

// canonical returns a name as OSV writes it: CVE-2024-1, GHSA-abcd-….
func canonical(id string) string {
	upper := strings.ToUpper(id)
	if rest, ok := strings.CutPrefix(upper, "GHSA-"); ok {
		return "GHSA-" + strings.ToLower(rest)
	}
	return upper
}

// Names reports whether an entry has that name, or has it as an alias.
func (e Entry) Names(id string) bool {
	return strings.EqualFold(e.ID, id) ||
		slices.ContainsFunc(e.Aliases, func(a string) bool { return strings.EqualFold(a, id) })
}

// errEnough ends a walk.
var errEnough = errors.New("enough")

// A Folder is what was found in a folder.
type Folder struct {
	Entries []Entry
	Looked  int  // advisories that were looked at
	Cut     bool // there are more than are looked at, or there was no time left
}

// Find returns the advisories of a folder that have one of these names, or have one as an alias. If ctx ends,
// what was found by then is returned, and Cut is set.
func Find(ctx context.Context, dir string, ids []string) (found Folder, err error) {
	words := make([][]byte, len(ids))
	for i, id := range ids {
		words[i] = []byte(id)
	}
	err = eachFile(ctx, dir, func(_ string, read func() ([]byte, error)) error {
		if found.Looked++; found.Looked > maxEntries {
			found.Cut = true
			return errEnough
		}
		text, err := read()
		if err != nil || !slices.ContainsFunc(words, func(w []byte) bool { return bytes.Contains(text, w) }) {
			return nil
		}
		var e Entry
		if json.Unmarshal(text, &e) != nil || !slices.ContainsFunc(ids, e.Names) {
			return nil
		}
		if found.Entries = append(found.Entries, e); len(found.Entries) >= maxFound {
			found.Cut = true
			return errEnough
		}
		return nil
	})
	if errors.Is(err, errEnough) || ctx.Err() != nil {
		found.Cut = true
		err = nil
	}
	slices.SortFunc(found.Entries, func(a, b Entry) int { return cmp.Compare(a.ID, b.ID) })
	return found, err
}

// Newest returns how many advisories a folder has, and when the newest was changed. It reads the times of
// files alone, of an export those of the files in it.
func Newest(ctx context.Context, dir string) (n int, newest time.Time, err error) {
	take := func(at time.Time) {
		n++
		if at.After(newest) {
			newest = at
		}
	}
	err = walk(ctx, dir, func(root *os.Root, name string, info fs.FileInfo) error {
		if path.Ext(name) == ".json" {
			take(info.ModTime())
			return nil
		}
		return openZip(root, name, info, func(z *zip.Reader) error {
			for _, f := range z.File {
				if path.Ext(f.Name) == ".json" {
					take(f.Modified)
				}
			}
			return nil
		})
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return n, newest, err
}

// walk visits the JSON files and the exports of a folder. It follows no links.
func walk(
	ctx context.Context, dir string, visit func(root *os.Root, name string, info fs.FileInfo) error,
) error {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	return fs.WalkDir(root.FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if name != "." && d.IsDir() && strings.HasPrefix(d.Name(), ".") {
			return fs.SkipDir
		}
		if ext := path.Ext(name); !d.Type().IsRegular() || ext != ".json" && ext != ".zip" {
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return visit(root, name, info)
	})
}

// eachFile calls visit for each advisory of a folder, with a function that reads it. Reports of packages that
// are malicious as a whole have no other names, and are left out.
func eachFile(
	ctx context.Context, dir string, visit func(name string, read func() ([]byte, error)) error,
) error {
	return walk(ctx, dir, func(root *os.Root, name string, info fs.FileInfo) error {
		if strings.HasPrefix(path.Base(name), "MAL-") {
			return nil
		}
		if path.Ext(name) == ".json" {
			return visit(name, func() ([]byte, error) {
				f, err := root.Open(name)
				if err != nil {
					return nil, err
				}
				defer f.Close()
				return readEntry(f)
			})
		}
		return openZip(root, name, info, func(z *zip.Reader) error {
			for _, in := range z.File {
				if path.Ext(in.Name) != ".json" || strings.HasPrefix(path.Base(in.Name), "MAL-") {
					continue
				}
				if ctx.Err() != nil {
					return ctx.Err()
				}
				err := visit(in.Name, func() ([]byte, error) {
					f, err := in.Open()
					if err != nil {
						return nil, err
					}
					defer f.Close()
					return readEntry(f)
				})
				if err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// readEntry reads an advisory, of at most maxEntry bytes.
func readEntry(r io.Reader) ([]byte, error) {
	text, err := io.ReadAll(io.LimitReader(r, maxEntry+1))
	if err == nil && len(text) > maxEntry {
		err = fmt.Errorf("more than %d bytes", maxEntry)
	}
	return text, err
}

// openZip opens an export. One that cannot be read is left out.
func openZip(root *os.Root, name string, info fs.FileInfo, use func(*zip.Reader) error) error {
	if info.Size() > maxZip {
		return nil
	}
	f, err := root.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return nil
	}
	return use(z)
}
