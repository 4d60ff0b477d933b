package database

import "strings"

// CleanText drops what Postgres' text type cannot hold.
func CleanText(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}

// CleanJSON is JSON that Postgres takes: no text of it has a NUL.
func CleanJSON(b []byte) []byte { return []byte(withoutNUL.Replace(string(b))) }

var withoutNUL = strings.NewReplacer(`\\`, `\\`, `\u0000`, "")
