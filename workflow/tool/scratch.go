package tool

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/disk"
	"github.com/bobbinhq/bobbin/repo/sandbox"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool/workfile"
)

const (
	// scratchVariable is the variable that names the scratch folder in commands. Paths for the tools begin
	// with it, too.
	scratchVariable = "SCRATCH"
	scratchPrefix   = "$" + scratchVariable
	insideScratch   = "/scratch" // its path in the sandbox

	maxScratch      = 64 << 20 // bytes on the disk; run.md names it
	maxScratchFiles = 2000     // files and folders; run.md names it
)

// A scratch is the folder in which the agents of one session keep files of their own between commands. It is
// outside of the repository, and only commands of run see it: no commit, check or proof. What is in it was
// written by commands, so it is read through an os.Root.
type scratch struct {
	dir     string           // empty: there is none
	sandbox *sandbox.Sandbox // nil: no command is run
	// limits; tests use small ones
	maxBytes int64
	maxFiles int
}

func (c *Commands) scratch() scratch {
	return scratch{
		dir:      c.ScratchDir,
		sandbox:  c.Sandbox,
		maxBytes: cmp.Or(c.maxScratch, maxScratch),
		maxFiles: maxScratchFiles,
	}
}

// scratchPath returns the path below the scratch folder that a model means by p. It returns false if p names
// a file of the repository.
func scratchPath(p string) (string, bool) {
	for _, prefix := range []string{scratchPrefix, "${" + scratchVariable + "}", insideScratch} {
		rest, ok := strings.CutPrefix(p, prefix)
		if ok && (rest == "" || rest[0] == '/') {
			return path.Clean("./" + rest), true
		}
	}
	return "", false
}

// UsesScratch reports whether a command names the scratch folder, without which it runs otherwise.
func UsesScratch(command string) bool {
	return strings.Contains(command, scratchVariable) || strings.Contains(command, insideScratch+"/")
}

// make creates the folder if it does not exist, so that commands can write to it from the start.
func (s scratch) make() error {
	if _, err := os.Lstat(s.dir); err == nil {
		return nil
	}
	above := filepath.Dir(s.dir)
	if err := os.MkdirAll(above, 0o700); err != nil {
		return fmt.Errorf("make the scratch folder: %w", err)
	}
	making, err := os.MkdirTemp(above, "scratch-")
	if err != nil {
		return fmt.Errorf("make the scratch folder: %w", err)
	}
	defer os.RemoveAll(making) // does nothing after the rename
	if s.sandbox != nil {
		if err := s.sandbox.Own(making); err != nil {
			return fmt.Errorf("make the scratch folder: %w", err)
		}
	}
	err = os.Rename(making, s.dir)
	if _, missing := os.Lstat(s.dir); missing == nil { // another agent has made it meanwhile
		return nil
	}
	return err
}

// show makes the folder visible to a command.
func (s scratch) show(cmd *sandbox.Cmd) error {
	if s.dir == "" {
		return nil
	}
	if err := s.make(); err != nil {
		return err
	}
	cmd.Mounts = append(cmd.Mounts, sandbox.Mount{Host: s.dir, Inside: insideScratch, Writable: true})
	cmd.Env = append(cmd.Env, scratchVariable+"="+insideScratch)
	return nil
}

// open opens the file of the scratch folder that a model names. The caller closes the place.
func (s scratch) open(p string) (place, error) {
	if s.dir == "" {
		return place{}, model.Mistakef("There is no %s here.", scratchPrefix)
	}
	if p == "." {
		return place{}, model.Mistakef("%s is a folder: name a file in it; run lists it (ls %[1]s).",
			scratchPrefix)
	}
	if err := s.make(); err != nil {
		return place{}, err
	}
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return place{}, fmt.Errorf("open the scratch folder: %w", err)
	}
	real, err := workfile.ResolveTarget(root, p)
	if err != nil {
		_ = root.Close()
		return place{}, err
	}
	return place{root: root, path: real, name: scratchPrefix + "/" + real, scratch: true}, nil
}

// refuseMore returns a [model.Mistake] if a file of that size does not fit into the folder any more.
func (s scratch) refuseMore(size int) error {
	var bytes int64
	var files int
	for _, e := range s.entries() {
		bytes += e.bytes
		files += e.files
	}
	if bytes+int64(size) <= s.maxBytes && files < s.maxFiles {
		return nil
	}
	return model.Mistakef("%s is full: it holds %s in %s, and at most %s in %d. Remove what is not needed "+
		"any more with run (rm), then write again.", scratchPrefix, plaintext.FormatSize(bytes),
		plaintext.CountNoun(files, "file"), plaintext.FormatSize(s.maxBytes), s.maxFiles)
}

// trim removes the largest entries of the folder until the rest is within its limits. It returns a line for
// the model about what was removed, or an empty string. What another agent's command writes at that time may
// be among it.
func (s scratch) trim() (string, error) {
	if s.dir == "" {
		return "", nil
	}
	entries := s.entries()
	var bytes int64
	var files int
	for _, e := range entries {
		bytes += e.bytes
		files += e.files
	}
	held := fmt.Sprintf("%s in %s", plaintext.FormatSize(bytes), plaintext.CountNoun(files, "file"))
	var removed []string
	for len(entries) > 0 && (bytes > s.maxBytes || files > s.maxFiles || entries[0].closed) {
		most := 0
		for i, e := range entries {
			if e.larger(entries[most], bytes > s.maxBytes) {
				most = i
			}
		}
		e := entries[most]
		entries = slices.Delete(entries, most, most+1)
		if err := disk.RemoveFolder(filepath.Join(s.dir, e.name)); err != nil {
			return "", fmt.Errorf("empty the scratch folder: %w", err)
		}
		bytes -= e.bytes
		files -= e.files
		removed = append(removed, plaintext.QuotePath(e.name))
	}
	if len(removed) == 0 {
		return "", nil
	}
	return fmt.Sprintf("\n[%s held %s, and may hold %s in %d. Removed, the largest first: %s]", scratchPrefix,
		held, plaintext.FormatSize(s.maxBytes), s.maxFiles, plaintext.FirstOf(removed, 5)), nil
}

// A scratchEntry is a file or a folder of the scratch folder's first level.
type scratchEntry struct {
	name   string
	bytes  int64
	files  int  // with all folders
	closed bool // a command made a part of it unreadable, or nested it too deep to be measured
}

// larger reports whether e has to go before o: by its bytes, or by the number of its files. What cannot be
// measured goes first.
func (e scratchEntry) larger(o scratchEntry, byBytes bool) bool {
	switch {
	case e.closed != o.closed:
		return e.closed
	case byBytes:
		return e.bytes > o.bytes
	}
	return e.files > o.files
}

// maxScratchDepth is how deep folders may be nested to be measured.
const maxScratchDepth = 60

// entries measures the folder. What cannot be measured comes first. A folder that does not exist has none.
func (s scratch) entries() (entries []scratchEntry) {
	root, err := os.OpenRoot(s.dir)
	if err != nil {
		return nil
	}
	defer func() { _ = root.Close() }()
	found, _ := fs.ReadDir(root.FS(), ".")
	for _, f := range found {
		e := scratchEntry{name: f.Name()}
		if f.IsDir() {
			e.measure(root.FS())
		} else if info, err := f.Info(); err == nil {
			e.bytes = disk.SizeOnDisk(info)
			e.files = 1
		}
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b scratchEntry) int {
		switch {
		case a.closed == b.closed:
			return 0
		case a.closed:
			return -1
		}
		return 1
	})
	return entries
}

// measure measures a folder. Links in it are not followed.
func (e *scratchEntry) measure(tree fs.FS) {
	_ = fs.WalkDir(tree, e.name, func(p string, d fs.DirEntry, err error) error {
		if err != nil && !errors.Is(err, fs.ErrNotExist) || strings.Count(p, "/") > maxScratchDepth {
			e.closed = true
			return fs.SkipAll
		}
		if d == nil {
			return nil
		}
		if info, err := d.Info(); err == nil {
			e.bytes += disk.SizeOnDisk(info)
			e.files++
		}
		return nil
	})
}
