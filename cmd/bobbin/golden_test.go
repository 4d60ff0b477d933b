package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// compareGolden compares got with a file; with BOBBIN_UPDATE=1 it writes the file instead.
func compareGolden(file, got string) error {
	if os.Getenv("BOBBIN_UPDATE") == "1" {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			return err
		}
		return os.WriteFile(file, []byte(got), 0o644)
	}
	want, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("%w; BOBBIN_UPDATE=1 writes it", err)
	}
	if string(want) == got {
		return nil
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(got, "\n")
	for i := range max(len(a), len(b)) {
		if i >= len(a) || i >= len(b) || a[i] != b[i] {
			return fmt.Errorf("%s:%d differs:\nwant: %s\ngot:  %s\nBOBBIN_UPDATE=1 writes it anew", file, i+1, at(a, i), at(b, i))
		}
	}
	return nil
}

func at(lines []string, i int) string {
	if i < len(lines) {
		return lines[i]
	}
	return "(end)"
}

var durations = regexp.MustCompile(`\b\d+(\.\d+)?(ms|µs|s)\b`)

// stable takes out of a text what differs from run to run.
func (s *story) stable(text string) string {
	text = durations.ReplaceAllString(text, "<time>")
	text = strings.ReplaceAll(text, s.dir, "<dir>")
	for id, name := range s.names {
		text = strings.ReplaceAll(text, id, "<"+name+">")
	}
	return text
}
