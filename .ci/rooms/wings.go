package main

import (
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A wing is the packages that one folder keeps together, as the program's help defines it.
type wing struct {
	path    string
	rooms   []*room
	open    int      // packages that another wing could import
	doors   int      // packages that another wing imports
	imports []string // the other wings that it imports
}

// wings returns the wings of the tree, by their paths.
func (t tree) wings() []wing {
	storeys := t.storeys()
	wings := map[string]*wing{}
	of := map[string]*wing{} // by import path
	for _, r := range t.rooms {
		name := wingPath(r.folder.path, storeys)
		if wings[name] == nil {
			wings[name] = &wing{path: name}
		}
		of[r.importPath] = wings[name]
		wings[name].rooms = append(wings[name].rooms, r)
		if !strings.Contains("/"+rest(r.folder.path, name)+"/", "/internal/") {
			wings[name].open++
		}
	}
	doors := map[string]bool{}
	for _, r := range t.rooms {
		from := of[r.importPath]
		for imported := range r.imports {
			to := of[imported]
			if to == nil || to == from {
				continue
			}
			doors[imported] = true
			if !slices.Contains(from.imports, to.path) {
				from.imports = append(from.imports, to.path)
			}
		}
	}
	for imported := range doors {
		of[imported].doors++
	}
	var all []wing
	for _, name := range slices.Sorted(maps.Keys(wings)) {
		slices.Sort(wings[name].imports)
		all = append(all, *wings[name])
	}
	return all
}

// storeys returns the folders at the top that have wings in them: those without a package of their own, and
// those with packages in two of their folders or more.
func (t tree) storeys() map[string]bool {
	own := map[string]bool{}
	full := map[string]map[string]bool{} // the folders with packages in them, by the folder at the top
	for _, r := range t.rooms {
		parts := strings.Split(r.folder.path, "/")
		top := parts[0]
		if full[top] == nil {
			full[top] = map[string]bool{}
		}
		if len(parts) == 1 {
			own[top] = true
		}
		if len(parts) > 2 && parts[1] != "internal" {
			full[top][parts[1]] = true
		}
	}
	storeys := map[string]bool{}
	for top := range full {
		storeys[top] = !own[top] || len(full[top]) > 1
	}
	return storeys
}

// wingPath returns the path of the wing that a folder belongs to.
func wingPath(folder string, storeys map[string]bool) string {
	parts := strings.Split(folder, "/")
	if inside := slices.Index(parts[1:], "internal"); inside >= 0 {
		parts = parts[:inside+1]
	}
	if storeys[parts[0]] {
		return path.Join(parts[:min(2, len(parts))]...)
	}
	return parts[0]
}

// rest returns what follows the wing's path in a package's path.
func rest(folder, wing string) string {
	return strings.TrimPrefix(strings.TrimPrefix(folder, wing), "/")
}

// findCircle returns the wings that import each other in a circle, the first one again at the end, or nil.
func findCircle(wings []wing) []string {
	imports := map[string][]string{}
	for _, w := range wings {
		imports[w.path] = w.imports
	}
	done := map[string]bool{}
	var way []string
	var visit func(string) []string
	visit = func(name string) []string {
		if at := slices.Index(way, name); at >= 0 {
			return append(slices.Clone(way[at:]), name)
		}
		if done[name] {
			return nil
		}
		done[name] = true
		way = append(way, name)
		defer func() { way = way[:len(way)-1] }()
		for _, next := range imports[name] {
			if circle := visit(next); circle != nil {
				return circle
			}
		}
		return nil
	}
	for _, w := range wings {
		if circle := visit(w.path); circle != nil {
			return circle
		}
	}
	return nil
}

var moduleLine = regexp.MustCompile(`(?m)^module[ \t]+"?([^\s"]+)`)

// importPath returns the path by which others import the package in a folder of the tree, by the nearest
// go.mod in its folder or above. It is the folder's path where there is no go.mod.
func importPath(tree, folder string) string {
	at, err := filepath.Abs(filepath.Join(tree, folder))
	if err != nil {
		return folder
	}
	below := ""
	for {
		text, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if module := moduleLine.FindSubmatch(text); err == nil && module != nil {
			return path.Join(string(module[1]), below)
		}
		parent := filepath.Dir(at)
		if parent == at {
			return folder
		}
		below = path.Join(filepath.Base(at), below)
		at = parent
	}
}
