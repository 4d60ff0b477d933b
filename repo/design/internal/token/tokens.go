package token

import (
	"cmp"
	"errors"
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/tdewolff/parse/v2/css"

	"github.com/bobbinhq/bobbin/repo/design/internal/markup"
	"github.com/bobbinhq/bobbin/repo/design/internal/source"
	"github.com/bobbinhq/bobbin/repo/design/internal/stylesheet"
)

const (
	maxTokenFiles = 20_000   // files looked at by name
	maxTokenBytes = 32 << 20 // bytes read
	maxTokens     = 20_000
	maxValue      = 1 << 10 // bytes of one value
)

// These are the purposes of lengths.
const (
	ForSpace = 1 << iota
	ForFont
	ForRadius
)

// A Token is a name that the project gives to a colour or a length.
type Token struct {
	name, path string
	dialect    string // css, scss, less: the language that understands its name; theme: a script or JSON
	alias      bool   // its value is another token, so its name tells its purpose
	Colour     stylesheet.Colour
	isColour   bool
	bare       bool    // three numbers that need hsl() around them
	px         float64 // value of a length
	purpose    int     // ForSpace, …; 0: not a length
}

// Tokens holds the tokens of a project.
type Tokens struct {
	raw     map[string]definition // by name, with its --, $ or @
	Colours []*Token
	lengths []*Token
	Kinds   int // the purposes for which there are lengths
}

type definition struct {
	value, path string
	weight      int // of two definitions the one with more weight counts, or else the first
}

// ReadTokens reads the custom properties of :root, the variables of SCSS and Less, and the theme files
// of a project.
func ReadTokens(tree fs.FS) (*Tokens, error) {
	t := &Tokens{raw: map[string]definition{}}
	files, bytes := 0, 0
	err := fs.WalkDir(tree, ".", func(name string, d fs.DirEntry, err error) error {
		switch files++; {
		case err != nil && name != "." && (errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission)):
			return nil
		case err != nil:
			return err
		case files > maxTokenFiles || bytes > maxTokenBytes || len(t.raw) > maxTokens:
			return fs.SkipAll
		case d.IsDir() && isForeignFolder(name):
			return fs.SkipDir
		case !d.Type().IsRegular() || !mayName(name):
			return nil
		}
		text, ok, err := source.ReadText(tree, name)
		if ok {
			bytes += len(text)
			t.collectFile(name, text)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	t.resolveAll()
	return t, nil
}

// isForeignFolder reports whether a folder is hidden or holds third-party code or build output.
func isForeignFolder(dir string) bool {
	switch base := path.Base(dir); base {
	case "node_modules", "vendor", "dist", "build", "coverage", "target":
		return true
	default:
		return base != "." && strings.HasPrefix(base, ".")
	}
}

var themeFile = regexp.MustCompile(`(?i)(^|[._-])(tokens?|theme|colou?rs?|palette)([._-]|$)`)

func isTheme(name string) bool {
	switch path.Ext(name) {
	case ".json", ".ts", ".js":
		return themeFile.MatchString(strings.TrimSuffix(path.Base(name), path.Ext(name)))
	}
	return false
}

func mayName(name string) bool {
	switch path.Ext(name) {
	case ".css", ".scss", ".less", ".html", ".htm", ".gohtml", ".tmpl", ".vue", ".svelte":
		return !strings.Contains(path.Base(name), ".min.")
	}
	return isTheme(name)
}

func (t *Tokens) collectFile(name, text string) {
	switch kind := path.Ext(name)[1:]; kind {
	case "css", "scss", "less":
		if kind != "css" || strings.Contains(text, "--") {
			t.collectSheet(stylesheet.ParseSheet(text, 0, kind), name)
		}
	case "json", "ts", "js":
		scanTheme(text, func(key, value string) {
			t.defineName("theme "+key, definition{value: value, path: name, weight: 2})
		})
	default:
		if !strings.Contains(text, "<style") || !strings.Contains(text, "--") {
			return
		}
		_, sheets := markup.ParseMarkup(text, kind)
		for _, s := range sheets {
			t.collectSheet(s, name)
		}
	}
}

func (t *Tokens) collectSheet(s *stylesheet.Sheet, name string) {
	for _, rule := range s.Rules {
		for _, d := range rule.Decls {
			if !d.DefinesName() {
				continue
			}
			weight := 2
			if d.Prop[0] == '-' {
				weight = reachOfRule(rule)
			} else if len(rule.Selectors) > 0 || len(rule.At) > 0 {
				weight = 0
			}
			if weight > 0 {
				t.defineName(d.Prop, definition{value: d.Raw, path: name, weight: weight})
			}
		}
	}
}

// reachOfRule returns how far the custom properties of a rule reach: 2 everywhere, 1 in a theme or on
// some devices, 0 in a part of the page.
func reachOfRule(r *stylesheet.StyleRule) int {
	reach := 0
	for _, s := range r.Selectors {
		switch root := s == ":root" || s == "html" || s == ":host" || s == "body" || s == "*"; {
		case root:
			reach = 2
		case strings.HasPrefix(s, ":root") || strings.HasPrefix(s, "html") || strings.HasPrefix(s, "[data-") ||
			strings.HasPrefix(s, ".dark") || strings.HasPrefix(s, ".light") || strings.HasPrefix(s, ".theme"):
			reach = max(reach, 1)
		}
	}
	if len(r.Selectors) == 0 && r.InAtRule("@theme") {
		reach = 2
	}
	for _, at := range r.At {
		if !strings.HasPrefix(at, "@layer") && !strings.HasPrefix(at, "@theme") {
			reach = min(reach, 1)
		}
	}
	return reach
}

func (t *Tokens) defineName(key string, d definition) {
	if old, ok := t.raw[key]; len(d.value) > maxValue || ok && old.weight >= d.weight {
		return
	}
	t.raw[key] = d
}

// resolveAll works out the colour or length of each name.
func (t *Tokens) resolveAll() {
	for key, d := range t.raw {
		one := &Token{name: key, path: d.path, dialect: "css"}
		switch {
		case strings.HasPrefix(key, "theme "):
			one.name, one.dialect = strings.TrimPrefix(key, "theme "), "theme"
		case key[0] == '$':
			one.dialect = "scss"
		case key[0] == '@':
			one.dialect = "less"
		}
		value := t.Expand(d.value)
		one.alias = value != d.value
		if one.Colour, one.isColour = stylesheet.ParseColour(value); !one.isColour {
			one.Colour, one.isColour = stylesheet.ParseColour("hsl(" + value + ")")
			one.isColour = one.isColour && strings.Count(value, "%") == 2
			one.bare = one.isColour
		}
		if one.isColour {
			t.Colours = append(t.Colours, one)
		} else if px, ok := stylesheet.ParseLength(value, one.dialect == "theme"); ok && purposeOfName(one.name) != 0 {
			one.px, one.purpose = px, purposeOfName(one.name)
			t.Kinds |= one.purpose
			t.lengths = append(t.lengths, one)
		}
	}
	order := func(a, b *Token) int { return cmp.Or(cmp.Compare(a.name, b.name), cmp.Compare(a.path, b.path)) }
	slices.SortFunc(t.Colours, order)
	slices.SortFunc(t.lengths, order)
}

// purposeOfName derives the purpose of a length from its token's name.
func purposeOfName(name string) (kinds int) {
	holds := func(words ...string) bool {
		return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(strings.ToLower(name), w) })
	}
	switch {
	case holds("weight", "breakpoint", "screen", "width", "height", "line"):
		return 0
	case holds("radius", "radii", "rounded"):
		return ForRadius
	case holds("font", "text"):
		return ForFont
	case holds("space", "spacing", "gap", "gutter", "padding", "margin"):
		return ForSpace
	case holds("size"):
		return ForSpace | ForFont
	}
	return 0
}

// Expand replaces the names in a value by their values, as far as they are known. It stops after eight
// rounds or beyond 4096 bytes, because names may refer to each other.
func (t *Tokens) Expand(value string) string {
	const rounds, most = 8, 4096
	for range rounds {
		if len(value) > most {
			break
		}
		next := t.expandOnce(value)
		if next == value {
			break
		}
		value = next
	}
	return strings.TrimSpace(value)
}

func (t *Tokens) expandOnce(value string) string {
	if !strings.ContainsAny(value, "$@") && !strings.Contains(value, "var(") {
		return value
	}
	var out strings.Builder
	ws := stylesheet.Lex(value, 0)
	for i := 0; i < len(ws); i++ {
		switch w := ws[i]; {
		case w.Kind == css.FunctionToken && strings.EqualFold(w.Text, "var("):
			end := stylesheet.ClosingBracket(ws, i)
			out.WriteString(t.valueOfVar(value, ws[i+1:max(end, i+1)]))
			i = end
		case w.Is(css.DelimToken, "$") && i+1 < len(ws) && ws[i+1].Kind == css.IdentToken:
			i++
			out.WriteString(t.valueOf("$" + ws[i].Text))
		case w.Kind == css.AtKeywordToken:
			out.WriteString(t.valueOf(w.Text))
		default:
			out.WriteString(w.Text)
		}
	}
	return out.String()
}

func (t *Tokens) valueOf(name string) string {
	if d, ok := t.raw[name]; ok {
		return d.value
	}
	return name
}

// valueOfVar returns what var() with these words stands for: the definition, the fallback, or
// unknown(name).
func (t *Tokens) valueOfVar(value string, in []stylesheet.Word) string {
	in = stylesheet.TrimWords(in)
	if len(in) == 0 {
		return "var()"
	}
	if d, ok := t.raw[in[0].Text]; ok {
		return d.value
	}
	for i, w := range in {
		if w.Kind == css.CommaToken && i+1 < len(in) {
			last := in[len(in)-1]
			return value[in[i+1].At : last.At+len(last.Text)]
		}
	}
	return "unknown(" + strings.TrimPrefix(in[0].Text, "--") + ")"
}
