package backup

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// format is the number of the layout of a backup's folder.
const format = 1

// The files of a backup beside those of its tables.
const (
	manifestFile = "manifest.json"
	manifestSum  = "manifest.sha256"
)

// A Manifest says what is in a backup.
type Manifest struct {
	Format    int        `json:"format"`
	Made      time.Time  `json:"made"`
	Program   string     `json:"program"` // the version of Bobbin that made it
	Schema    int64      `json:"schema"`  // the newest migration
	Queue     int64      `json:"queue"`   // the newest migration of the job queue
	Tables    []Table    `json:"tables"`
	Sequences []Sequence `json:"sequences"`

	Configuration string   `json:"configuration,omitempty"` // where its file is; not in the backup
	Secrets       []string `json:"secrets,omitempty"`       // names of variables; their values are not in the backup
}

// A Table is a table of a backup.
type Table struct {
	Name    string   `json:"name"`
	Columns []string `json:"columns"`
	Rows    int64    `json:"rows"`
	Bytes   int64    `json:"bytes"` // of its file
	SHA256  string   `json:"sha256"`
}

func (t Table) file() string { return t.Name + ".copy.gz" }

// A Sequence is where the numbers of a column go on.
type Sequence struct {
	Table  string `json:"table"`
	Column string `json:"column"`
	Last   int64  `json:"last"`
	Called bool   `json:"called"` // whether Last was given out
}

// Rows returns how many rows the backup has.
func (m Manifest) Rows() (n int64) {
	for _, t := range m.Tables {
		n += t.Rows
	}
	return n
}

// Bytes returns the size of the tables' files.
func (m Manifest) Bytes() (n int64) {
	for _, t := range m.Tables {
		n += t.Bytes
	}
	return n
}

// A DamagedError means that a folder is no whole backup. Nothing was changed.
type DamagedError struct{ Dir, Why string }

func (d *DamagedError) Error() string {
	return fmt.Sprintf("%s is no whole backup: %s; nothing was changed", d.Dir, d.Why)
}

// A NewerError means that a newer version of Bobbin made the backup. Nothing was changed.
type NewerError struct{ Dir, Program string }

func (n *NewerError) Error() string {
	return fmt.Sprintf("%s was made by a newer version of Bobbin, %s; restore it with that version or a "+
		"later one. Nothing was changed", n.Dir, n.Program)
}

// write writes the manifest and its checksum.
func (m Manifest) write(dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	text = append(text, '\n')
	if err := writeFile(filepath.Join(dir, manifestFile), text); err != nil {
		return err
	}
	sum := sha256.Sum256(text)
	return writeFile(filepath.Join(dir, manifestSum), []byte(hex.EncodeToString(sum[:])+"\n"))
}

func writeFile(name string, text []byte) error {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// Read reads the manifest of a backup and checks every file against it. Its error is a *DamagedError if the
// folder is not what Write has written.
func Read(dir string) (m Manifest, err error) {
	damaged := func(format string, args ...any) (Manifest, error) {
		return m, &DamagedError{Dir: dir, Why: fmt.Sprintf(format, args...)}
	}
	switch at, err := os.Stat(dir); {
	case errors.Is(err, fs.ErrNotExist):
		return damaged("there is no such folder")
	case err == nil && !at.IsDir():
		return damaged("it is a file, and a backup is a folder")
	}
	text, err := os.ReadFile(filepath.Join(dir, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("there is no %s", manifestFile)
	}
	if err != nil {
		return m, unreadable(dir, err)
	}
	sum, err := os.ReadFile(filepath.Join(dir, manifestSum))
	if errors.Is(err, fs.ErrNotExist) {
		return damaged("there is no %s", manifestSum)
	}
	if err != nil {
		return m, unreadable(dir, err)
	}
	if found := sha256.Sum256(text); !bytes.Equal(sum, []byte(hex.EncodeToString(found[:])+"\n")) {
		return damaged("%s does not match %s", manifestFile, manifestSum)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		return damaged("%s: %v", manifestFile, err)
	}
	if m.Format > format {
		return m, &NewerError{Dir: dir, Program: m.Program}
	}
	return m, m.check(dir)
}

// unreadable returns the error for a file of a backup that cannot be read.
func unreadable(dir string, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return &DamagedError{Dir: dir, Why: "a file in it cannot be read: " + errno.Error()}
	}
	return err
}

var identifier = regexp.MustCompile(`^[a-z][a-z0-9_]*$`)

// check checks the files of the tables.
func (m Manifest) check(dir string) error {
	for _, t := range m.Tables {
		for _, name := range append([]string{t.Name}, t.Columns...) {
			if !identifier.MatchString(name) {
				return &DamagedError{Dir: dir, Why: fmt.Sprintf("%q is no name of a table or column", name)}
			}
		}
		f, err := os.Open(filepath.Join(dir, t.file()))
		if errors.Is(err, fs.ErrNotExist) {
			return &DamagedError{Dir: dir, Why: "there is no " + t.file()}
		}
		if err != nil {
			return unreadable(dir, err)
		}
		sum := sha256.New()
		size, err := io.Copy(sum, f)
		if err := errors.Join(err, f.Close()); err != nil {
			return unreadable(dir, err)
		}
		if size != t.Bytes || hex.EncodeToString(sum.Sum(nil)) != t.SHA256 {
			return &DamagedError{Dir: dir, Why: t.file() + " is not as it was written"}
		}
	}
	return nil
}

// columns returns the quoted names of the columns, separated by commas.
func (t Table) columns() string { return `"` + strings.Join(t.Columns, `", "`) + `"` }
