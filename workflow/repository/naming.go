package repository

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Naming holds how a repository wants its branches and commits to be named.
type Naming struct {
	Branch, Title NameForm
}

// A NameForm is a template for names, and the pattern that each name has to match. The zero value is the
// program's own form, with no pattern.
//
// A template is text with placeholders in braces, as in fix/{ticket}-{slug}. Braces around text with a
// placeholder make an optional part, which is left out if the placeholder has no value, as in
// fix/{{ticket}-}{slug}.
type NameForm struct {
	Template string
	Pattern  *regexp.Regexp // nil: every name is allowed
}

// The placeholders of names.
const (
	NameTicket  = "ticket"  // the issue that an approver named
	NameSlug    = "slug"    // the title of the work, in letters, digits and hyphens
	NameID      = "id"      // of the session
	NameType    = "type"    // fix or feat
	NameScope   = "scope"   // the folder that the change is in
	NameSummary = "summary" // what was done, in a line
)

// The values of NameType.
const (
	TypeFix     = "fix"
	TypeFeature = "feat"
)

// The placeholders of each kind of name.
var (
	BranchNames = []string{NameTicket, NameSlug, NameID, NameType}
	TitleNames  = []string{NameSummary, NameTicket, NameScope, NameType}
)

// A namePart is plain text, a placeholder, or an optional part.
type namePart struct {
	text, name string
	optional   []namePart
}

// CheckTemplate returns what is wrong with a template, whose placeholders have to be among known.
func CheckTemplate(template string, known []string) error {
	parts, err := parseTemplate(template, 0)
	if err != nil {
		return err
	}
	for _, name := range namesIn(parts) {
		if !slices.Contains(known, name) {
			return fmt.Errorf("there is no placeholder {%s}; there are {%s}", name,
				strings.Join(known, "}, {"))
		}
	}
	return nil
}

// parseTemplate reads a template, or an optional part of one.
func parseTemplate(template string, depth int) (parts []namePart, err error) {
	for template != "" {
		text, rest, found := strings.Cut(template, "{")
		if strings.Contains(text, "}") {
			return nil, fmt.Errorf("a closing brace has no opening one")
		}
		if text != "" {
			parts = append(parts, namePart{text: text})
		}
		if !found {
			return parts, nil
		}
		end := closingBrace(rest)
		if end < 0 {
			return nil, fmt.Errorf("an opening brace has no closing one")
		}
		part := namePart{name: rest[:end]}
		if part.name == "" {
			return nil, fmt.Errorf("there is nothing between the braces {}")
		}
		if strings.Contains(part.name, "{") {
			if depth > 0 {
				return nil, fmt.Errorf("an optional part is within another one")
			}
			if part.optional, err = parseTemplate(part.name, depth+1); err != nil {
				return nil, err
			}
			part.name = ""
		}
		parts = append(parts, part)
		template = rest[end+1:]
	}
	return parts, nil
}

// closingBrace returns where the brace ends that was opened before text, or -1.
func closingBrace(text string) int {
	depth := 1
	for i, r := range text {
		switch r {
		case '{':
			depth++
		case '}':
			depth--
		}
		if depth == 0 {
			return i
		}
	}
	return -1
}

// namesIn returns the placeholders of a template, those of its optional parts, too.
func namesIn(parts []namePart) (names []string) {
	for _, p := range parts {
		if p.name != "" {
			names = append(names, p.name)
		}
		names = append(names, namesIn(p.optional)...)
	}
	return names
}

// Uses reports whether the template has that placeholder.
func (f NameForm) Uses(name string) bool {
	parts, _ := parseTemplate(f.Template, 0)
	return slices.Contains(namesIn(parts), name)
}

// Needs reports whether the template has that placeholder outside of optional parts.
func (f NameForm) Needs(name string) bool {
	parts, _ := parseTemplate(f.Template, 0)
	return slices.ContainsFunc(parts, func(p namePart) bool { return p.name == name })
}

// UsesTicket reports whether a name of the repository has a ticket, if one was named.
func (n Naming) UsesTicket() bool { return n.Branch.Uses(NameTicket) || n.Title.Uses(NameTicket) }

// Folder returns the folder of branches that every name of the template is in, as fix/, or an empty string.
func (f NameForm) Folder() string {
	text, _, _ := strings.Cut(f.Template, "{")
	return text[:strings.LastIndex(text, "/")+1]
}

// noValue stands for a placeholder without a value outside of optional parts.
var noValue = map[string]string{NameTicket: "no-ticket", NameScope: "repo"}

// Fill returns the name with these values.
func (f NameForm) Fill(values map[string]string) string {
	parts, _ := parseTemplate(f.Template, 0)
	return fillParts(parts, values)
}

func fillParts(parts []namePart, values map[string]string) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.optional != nil:
			if !slices.ContainsFunc(namesIn(p.optional), func(n string) bool { return values[n] == "" }) {
				b.WriteString(fillParts(p.optional, values))
			}
		case p.name != "" && values[p.name] == "":
			b.WriteString(noValue[p.name])
		case p.name != "":
			b.WriteString(values[p.name])
		default:
			b.WriteString(p.text)
		}
	}
	return b.String()
}

// Allows reports whether the pattern allows a name.
func (f NameForm) Allows(name string) bool { return f.Pattern == nil || f.Pattern.MatchString(name) }

// Expression returns an expression for the names that the template makes, perhaps with a hyphen and more at
// the end, or nil without a template.
func (f NameForm) Expression() *regexp.Regexp {
	parts, err := parseTemplate(f.Template, 0)
	if err != nil || len(parts) == 0 {
		return nil
	}
	return regexp.MustCompile(`^` + expressionOf(parts) + `(?:-[A-Za-z0-9._-]+)?$`)
}

func expressionOf(parts []namePart) string {
	var b strings.Builder
	for _, p := range parts {
		switch {
		case p.optional != nil:
			b.WriteString(`(?:` + expressionOf(p.optional) + `)?`)
		case p.name == NameType:
			b.WriteString(`(?:` + TypeFix + `|` + TypeFeature + `)`)
		case p.name != "":
			b.WriteString(`[A-Za-z0-9._-]+`)
		default:
			b.WriteString(regexp.QuoteMeta(p.text))
		}
	}
	return b.String()
}

// Title returns a title with that summary, of at most most characters: the summary is cut by cut. If the
// pattern refuses it, it is tried with a small first letter, as many houses want it.
func (f NameForm) Title(
	summary string, values map[string]string, most int, cut func(text string, most int) string,
) (title string, allowed bool) {
	if f.Template == "" {
		title = cut(summary, most)
		return title, f.Allows(title)
	}
	fill := func(summary string) string {
		all := map[string]string{}
		for name, value := range values {
			all[name] = value
		}
		all[NameSummary] = "_"
		room := most - utf8.RuneCountInString(f.Fill(all)) + 1
		all[NameSummary] = cut(summary, max(room, minSummary))
		return f.Fill(all)
	}
	title = fill(summary)
	if f.Allows(title) {
		return title, true
	}
	if small := fill(smallFirst(summary)); f.Allows(small) {
		return small, true
	}
	return title, false
}

// minSummary is how many characters of a summary are left, however long the rest of a title is.
const minSummary = 20

// smallFirst returns the text with a small first letter, unless it begins with a name such as HTTP.
func smallFirst(text string) string {
	first, size := utf8.DecodeRuneInString(text)
	if second, _ := utf8.DecodeRuneInString(text[size:]); size == 0 || unicode.IsUpper(second) {
		return text
	}
	return string(unicode.ToLower(first)) + text[size:]
}

// ScopeOf returns the folder that changed files have in common, for the title: the first one of it, below the
// folder that the work is limited to, that is not merely a folder of source code. It is empty if they have
// none.
func (r Repository) ScopeOf(paths []string) string {
	var common []string
	for i, path := range paths {
		path = strings.TrimPrefix(path, r.Folder()+"/")
		folders := strings.Split(path, "/")
		folders = folders[:len(folders)-1]
		if i == 0 {
			common = folders
			continue
		}
		n := 0
		for n < len(common) && n < len(folders) && common[n] == folders[n] {
			n++
		}
		common = common[:n]
	}
	for _, folder := range common {
		if !slices.Contains(sourceFolders, folder) {
			return refSafe(folder)
		}
	}
	return ""
}

// sourceFolders are folders that say nothing of what the code in them is about.
var sourceFolders = []string{
	"src", "lib", "pkg", "internal", "app", "apps", "cmd", "packages", "services", "main", "java", "source",
}

// TicketName returns the name of a ticket as a part of a branch's name: PAY-881, and 412 for #412.
func TicketName(ticket string) string { return refSafe(ticket) }

// refSafe returns a text without what git or a shell does not like in the name of a branch.
func refSafe(text string) string {
	return strings.Trim(unsafe.ReplaceAllString(text, "-"), "-.")
}

var unsafe = regexp.MustCompile(`(?:[^A-Za-z0-9._-]|\.\.)+`)
