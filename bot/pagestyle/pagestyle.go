// Package pagestyle holds the common appearance of all web pages: one style sheet with a light and a dark
// palette, and highlighted code and diffs. Colours are classes of the style sheet, so pages need no inline
// styles and their content security policy can forbid them.
package pagestyle

import (
	_ "embed"
	"net/http"
	"strings"
	"time"
)

//go:embed look.css
var sheet string

//go:embed bobbin.svg
var mark string

// ServeMark serves Bobbin's mark, an SVG image.
func ServeMark(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "bobbin.svg", time.Time{}, strings.NewReader(mark))
}

// ServeSheet serves the style sheet.
func ServeSheet(w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "look.css", time.Time{}, strings.NewReader(sheet))
}
