package database

import "strings"

// CleanText drops what Postgres' text type cannot hold.
func CleanText(s string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(s, "\x00", ""), "\uFFFD")
}
