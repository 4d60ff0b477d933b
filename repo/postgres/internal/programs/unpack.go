package programs

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
)

// The limits of an archive. The real ones have 1,029 files and 60 MB.
const (
	maxFiles = 5000
	maxBytes = 400 << 20
)

// links is npm's list of the symbolic links that its archives cannot contain.
const links = "native/pg-symlinks.json"

// unpack writes the files of an npm archive that a server needs into the new folder dir: plain files under
// package/native, and the symbolic links that the archive lists. It fails if a name or a link leads outside
// dir.
func unpack(archive, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	zipped, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpackFiles(root, tar.NewReader(zipped)); err != nil {
		return err
	}
	return makeLinks(root)
}

func unpackFiles(root *os.Root, archive *tar.Reader) error {
	var files, bytes int64
	for {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if files, bytes = files+1, bytes+h.Size; files > maxFiles || bytes > maxBytes {
			return fmt.Errorf("more than %d files or %d MB", maxFiles, maxBytes>>20)
		}
		if h.Typeflag == tar.TypeDir {
			continue
		}
		if h.Typeflag != tar.TypeReg {
			return fmt.Errorf("%q is neither file nor folder", h.Name)
		}
		if !filepath.IsLocal(h.Name) || strings.Contains(h.Name, `\`) {
			return fmt.Errorf("%q leads outside", h.Name)
		}
		if name, ok := strings.CutPrefix(path.Clean(h.Name), "package/"); ok && needed(name) {
			if err := unpackFile(root, name, h.FileInfo().Mode(), archive); err != nil {
				return err
			}
		}
	}
}

// needed reports whether a running server needs a file. Files for compilers are not needed.
func needed(name string) bool {
	return strings.HasPrefix(name, "native/") && !strings.HasPrefix(name, "native/include/") &&
		!strings.Contains(name, "/pgxs/") && !strings.HasSuffix(name, ".a")
}

func unpackFile(root *os.Root, name string, mode os.FileMode, content io.Reader) error {
	if err := makeDirs(root, path.Dir(name)); err != nil {
		return err
	}
	perm := os.FileMode(0o644)
	if mode&0o100 != 0 {
		perm = 0o755
	}
	f, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, content)
	return errors.Join(err, f.Chmod(perm), f.Close())
}

// makeDirs creates folders that every account may read, whatever the umask is.
func makeDirs(root *os.Root, dir string) error {
	if _, err := root.Stat(dir); err == nil || dir == "." {
		return nil
	}
	if err := makeDirs(root, path.Dir(dir)); err != nil {
		return err
	}
	if err := root.Mkdir(dir, 0o755); err != nil {
		return err
	}
	return root.Chmod(dir, 0o755)
}

// makeLinks creates the links of the archive's list. The target of each link has to exist.
func makeLinks(root *os.Root) error {
	b, err := root.ReadFile(links)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var list []struct{ Source, Target string }
	if err := json.Unmarshal(b, &list); err != nil {
		return fmt.Errorf("%s: %w", links, err)
	}
	if len(list) > maxFiles {
		return fmt.Errorf("%s: more than %d links", links, maxFiles)
	}
	for _, l := range list {
		if err := makeLink(root, l.Source, l.Target); err != nil {
			return fmt.Errorf("%s: %w", links, err)
		}
	}
	return nil
}

func makeLink(root *os.Root, source, target string) error {
	for _, name := range []string{source, target} {
		if !filepath.IsLocal(name) || !strings.HasPrefix(path.Clean(name), "native/") {
			return fmt.Errorf("%q leads outside", name)
		}
	}
	if !needed(target) {
		return nil
	}
	fi, err := root.Stat(source)
	if err != nil {
		return err
	}
	if !fi.Mode().IsRegular() {
		return fmt.Errorf("%q is not a file", source)
	}
	to, err := filepath.Rel(path.Dir(target), source)
	if err != nil {
		return err
	}
	if err := makeDirs(root, path.Dir(path.Clean(target))); err != nil {
		return err
	}
	return root.Symlink(to, target)
}
