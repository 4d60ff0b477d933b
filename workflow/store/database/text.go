package database

import "strings"

// CleanText removes NUL characters and replaces invalid UTF-8, which Postgres' type text cannot hold.
func CleanText(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// cleanTexts returns the texts, each as CleanText returns it.
func cleanTexts(texts []string) []string {
	if texts == nil {
		return nil
	}
	clean := make([]string, len(texts))
	for i, text := range texts {
		clean[i] = CleanText(text)
	}
	return clean
}

// CleanJSON removes escaped NUL characters from JSON, which Postgres does not accept.
func CleanJSON(b []byte) []byte { return []byte(withoutNUL.Replace(string(b))) }

var withoutNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, "")
