package design

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
	"github.com/bobbinhq/bobbin/repo/design/internal/token"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// maxFindings is the maximum number of findings, about as many as a reader fixes in one go.
const maxFindings = 50

// These are the rules of design. The names are stable.
const (
	literalColour = "literal-colour"
	inlineStyle   = "inline-style"
	magicSpacing  = "magic-spacing"
	focusRemoved  = "focus-removed"
	lowContrast   = "contrast"
	clickTarget   = "click-target"
	imageAlt      = "image-alt"
	noLabel       = "label"
	buttonName    = "button-name"
	motion        = "motion"
	important     = "important"
)

// A Finding is one place of a change that breaks a rule of design.
type Finding struct {
	Path string
	Line int    // line number on the branch, from 1
	Rule string // literal-colour, inline-style, … ; a stable name
	What string // what was found, such as literal colour #0af
	Cure string // what to write instead; names the project's token if one has that value
}

// String returns one line: web/cart.css:12: literal colour #0af; use var(--accent)
func (f Finding) String() string {
	return fmt.Sprintf("%s:%d: %s; %s", f.Path, f.Line, f.What, f.Cure)
}

// Check returns the findings in what a change adds or modifies. Code that was there before is not
// reported, also when it is only moved or re-indented. base and branch are whole trees, and changed
// lists the paths that were added or modified. Check reads stylesheets, markup and the JSX of scripts,
// in regular files of valid UTF-8 up to 1 MiB, and skips all other files. It returns at most 50
// findings, sorted by path and line.
func Check(base, branch fs.FS, changed []string) ([]Finding, error) {
	var known *token.Tokens // read only when a file needs them, since most changes hold no frontend
	var out []Finding
	for _, name := range slices.Compact(slices.Sorted(slices.Values(changed))) {
		src, err := openSource(base, branch, name)
		if err != nil {
			return nil, fmt.Errorf("design: design of %s: %w", name, err)
		}
		if src == nil || !src.anyChange() {
			continue
		}
		if known == nil {
			if known, err = token.ReadTokens(branch); err != nil {
				return nil, fmt.Errorf("design: design tokens: %w", err)
			}
		}
		src.tokens = known
		if out = append(out, src.applyRules(maxFindings-len(out))...); len(out) == maxFindings {
			break
		}
	}
	return out, nil
}

// applyRules applies every rule to a file.
func (s *changedFile) applyRules(most int) []Finding {
	s.parseFile()
	s.judgeSheets()
	s.judgeElements()
	slices.SortStableFunc(s.found, func(a, b suspicion) int {
		return cmp.Or(cmp.Compare(s.lineOf(a.at), s.lineOf(b.at)), cmp.Compare(a.at, b.at), cmp.Compare(a.rule, b.rule))
	})
	var out []Finding
	for _, f := range s.found[:min(len(s.found), most)] {
		out = append(out, Finding{s.path, s.lineOf(f.at), f.rule, oneLine(f.what), oneLine(f.cure())})
	}
	return out
}

// oneLine shortens text quoted from a file to one line of at most 300 bytes.
func oneLine(text string) string {
	return plaintext.CutLine(plaintext.OneLine(text), 300)
}

// parseFile parses the file into stylesheets and elements.
func (s *changedFile) parseFile() {
	switch kind := strings.TrimPrefix(path.Ext(s.path), "."); kind {
	case "css", "scss", "less":
		s.sheets = append(s.sheets, stylesheet.ParseSheet(s.text, 0, kind))
	case "jsx", "tsx", "js":
		s.elements = markup.ScanJSX(s.text)
	case "html", "htm", "gohtml", "tmpl", "vue", "svelte":
		s.elements, s.sheets = markup.ParseMarkup(s.text, kind)
	}
}
