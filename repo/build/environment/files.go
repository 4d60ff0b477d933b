package environment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Files are the files of one commit.
type Files interface {
	// ReadFile returns the content of a file. One that does not exist is fs.ErrNotExist.
	ReadFile(name string) ([]byte, error)
	// ReadDir returns the names of the files in a folder, or nothing if there is no such folder.
	ReadDir(dir string) []string
}

// FilesOf returns the files of a folder.
func FilesOf(tree fs.FS) Files { return folder{tree} }

type folder struct{ tree fs.FS }

// ReadFile returns the content of a file.
func (f folder) ReadFile(name string) ([]byte, error) { return fs.ReadFile(f.tree, name) }

// ReadDir returns the names of the files in a folder.
func (f folder) ReadDir(dir string) (names []string) {
	entries, _ := fs.ReadDir(f.tree, dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// maxFile is the most bytes of a file that is read.
const maxFile = 256 << 10

// readYAML returns the content of a YAML file as maps, lists and scalars; nil if there is none. A file that
// cannot be read is noted.
func (e *Environment) readYAML(files Files, name string) map[string]any {
	if known, ok := e.parsed[name]; ok {
		return known
	}
	read := e.parseYAML(files, name)
	e.parsed[name] = read
	return read
}

func (e *Environment) parseYAML(files Files, name string) map[string]any {
	content, err := files.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err == nil && len(content) > maxFile:
		err = fmt.Errorf("it has more than %d KiB", maxFile>>10)
	}
	var read any
	if err == nil {
		err = yaml.Unmarshal(content, &read)
	}
	if err != nil {
		e.note("%s is not read: %s", name, firstLine(err.Error()))
		return nil
	}
	return asMap(read)
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(s, "\n")
	return cut(line)
}

// readFiles returns what the files say of services. Those of CI come first: they are for the tests. A compose
// file, which is often for the development of the whole product, counts if CI names no services, and either
// there is no CI that tests, or CI starts the compose file; or if services are configured.
func (e *Environment) readFiles(files Files, configured bool) []source {
	var all []source
	tests := false
	composes := configured
	for _, name := range append(workflowFiles(files), gitlabFile) {
		content := e.readYAML(files, name)
		if name == gitlabFile {
			all = append(all, e.readGitLab(name, content)...)
		} else {
			all = append(all, e.readGitHub(name, content)...)
		}
		if raw, err := files.ReadFile(name); err == nil {
			tests = tests || bytes.Contains(raw, []byte("test"))
			composes = composes || bytes.Contains(raw, []byte("compose"))
		}
	}
	if len(all) > 0 {
		return all
	}
	for _, name := range unique(append(slices.Clone(e.compose), composeFiles...)) {
		read := e.readCompose(name, e.readYAML(files, name))
		if len(read) > 0 && tests && !composes {
			e.noteCompose(name, read[0])
			continue
		}
		all = append(all, read...)
	}
	return all
}

// noteCompose notes the services of a compose file without which CI tests.
func (e *Environment) noteCompose(file string, read source) {
	var kinds, lines []string
	for _, d := range read.services {
		if !slices.Contains(kinds, d.kind) {
			kinds = append(kinds, d.kind)
			lines = append(lines, d.kind+": "+cmp.Or(d.version, "any"))
		}
	}
	e.note("%s names %s, which CI tests without; to start it for the tests, write services: {%s}",
		file, strings.Join(kinds, " and "), strings.Join(lines, ", "))
}

// asMap returns a YAML map, or nil for another value.
func asMap(value any) map[string]any {
	switch m := value.(type) {
	case map[string]any:
		return m
	case map[any]any:
		out := map[string]any{}
		for k, v := range m {
			out[fmt.Sprint(k)] = v
		}
		return out
	}
	return nil
}

// asList returns a YAML list, or nil for another value.
func asList(value any) []any {
	list, _ := value.([]any)
	return list
}

// text returns a YAML scalar as a string, or an empty string for another value.
func text(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case nil, []any, map[string]any, map[any]any:
		return ""
	}
	return fmt.Sprint(value)
}

// texts returns the scalars of a map, or of a list of NAME=value.
func texts(value any) map[string]string {
	out := map[string]string{}
	for name, v := range asMap(value) {
		out[name] = text(v)
	}
	for _, entry := range asList(value) {
		if name, v, ok := strings.Cut(text(entry), "="); ok {
			out[name] = v
		}
	}
	return out
}

// testFirst returns the keys of a map in order, those with "test" in their name first.
func testFirst(m map[string]any) []string {
	keys := slices.Sorted(maps.Keys(m))
	slices.SortStableFunc(keys, func(a, b string) int { return rank(a) - rank(b) })
	return keys
}

func rank(name string) int {
	if strings.Contains(strings.ToLower(name), "test") {
		return 0
	}
	return 1
}
