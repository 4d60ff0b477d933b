// Package claim finds claims in a model's words that only the program may make: how many tests were added or
// pass, that something was pushed, merged or deployed, and that somebody reviewed or approved it. The program
// has seen these and says them itself.
//
// It reads sentences by forms, not by meaning: tables of words in English, and the shortest forms of some
// other languages. What is denied, conditional or still to come is no claim ("nothing was pushed", "before
// it is merged"); denial.go says how far such words reach. All functions are pure.
package claim

import (
	"regexp"
	"strings"

	"github.com/bobbinhq/bobbin/workflow/plaintext"
)

// Kind is what a claim is about.
type Kind string

// The kinds of claims.
const (
	Tests    Kind = "tests"    // how many tests there are or pass
	Push     Kind = "push"     // pushed, merged, deployed
	Approval Kind = "approval" // approved by somebody
	Review   Kind = "review"   // looked at by somebody, and what was found
)

// A Claim is a sentence of a text with something that only the program may say.
type Claim struct {
	Kind     Kind
	Sentence string
}

// In returns the claims in a text, in order.
func In(text string) (found []Claim) {
	for _, s := range sentences(text) {
		if kind := kindOf(s); kind != "" {
			found = append(found, Claim{kind, strings.TrimSpace(s)})
		}
	}
	return found
}

// Without returns the text without the sentences that make claims, and these.
func Without(text string) (rest string, found []Claim) {
	var b strings.Builder
	for _, s := range sentences(text) {
		if kind := kindOf(s); kind != "" {
			found = append(found, Claim{kind, strings.TrimSpace(s)})
			if strings.HasSuffix(s, "\n") && b.Len() > 0 && !strings.HasSuffix(b.String(), "\n") {
				before := strings.TrimRight(b.String(), " \t")
				b.Reset()
				b.WriteString(before + "\n")
			}
			continue
		}
		b.WriteString(s)
	}
	if found == nil {
		return text, nil
	}
	return strings.TrimSpace(blankLines.ReplaceAllString(strings.TrimSpace(b.String()), "\n\n")), found
}

var blankLines = regexp.MustCompile(`[ \t]*\n(?:[ \t]*(?:[-*•]|\d+[.)])?[ \t]*\n){2,}`)

// sentences splits a text into sentences, with the blanks behind each.
func sentences(text string) (list []string) {
	for text != "" {
		end := len(text)
		for _, m := range sentenceEnd.FindAllStringIndex(text, -1) {
			if m[0] == 0 || text[m[0]-1] != '/' { // "./..." is a path
				end = m[1]
				break
			}
		}
		list = append(list, text[:end])
		text = text[end:]
	}
	return list
}

var sentenceEnd = regexp.MustCompile(`[.!?;…]+["'”’)\]*_]*[ \t]+|[.!?;…]*["'”’)\]*_]*[ \t]*\n+|[。！？]`)

// kindOf returns the kind of the claim that a sentence makes, or an empty string.
func kindOf(sentence string) Kind {
	for _, words := range readings(sentence) {
		for _, f := range forms() {
			for _, m := range f.form.FindAllStringSubmatchIndex(words, -1) {
				p := match{form: f, words: words, start: m[0], end: m[1]}
				for _, from := range groups(m) {
					p.start = from
				}
				if !p.free() {
					return f.kind
				}
			}
		}
	}
	return ""
}

// groups returns where the groups of a match begin.
func groups(match []int) (from []int) {
	for i := 2; i < len(match); i += 2 {
		if match[i] >= 0 {
			from = append(from, match[i])
		}
	}
	return from
}

var (
	code   = regexp.MustCompile("`[^`\n]*`")
	name   = regexp.MustCompile("`([\\w#.@/-]+)`")
	letter = regexp.MustCompile(`[\p{L}\p{N}]`)
	// tested and shipped match commands in code that try the work or publish it.
	tested = regexp.MustCompile("`[^`\n]*\\b(?:(?:go|npm|pnpm|yarn|bun|cargo|make|mvn|gradle|gradlew|" +
		"dotnet|mix|rake|bundle exec|tox|nox|just|task|poetry run|uv run|npx|bazel) (?:run )?" +
		"(?:test|tests|check|lint|build|vet|ci|verify|spec)|pytest|jest|vitest|rspec|phpunit|ctest|tox|" +
		"golangci-lint|ruff|mypy|eslint|tsc)\\b[^`\n]*`")
	shipped = regexp.MustCompile("`[^`\n]*\\b(git push|git merge|gh pr create)\\b[^`\n]*`")
	// markup matches the marks of emphasis, lists, quotes and tables.
	markup = regexp.MustCompile(`[*_~#>\[\]"]+`)
	// ornament matches what may stand before the first word of a sentence.
	ornament = regexp.MustCompile(`^(?::[a-z0-9+'-]+:|\d{1,3}[.)] |[^\p{L}\p{N}@])+`)
)

// readings returns the words of a sentence as people may read them: with code as a name, with names in code
// as words, with commands in code as what they do, and the code itself if it is all that is said.
func readings(sentence string) (all []string) {
	all = append(all, wordsOf(code.ReplaceAllString(sentence, " it ")))
	if named := name.ReplaceAllString(sentence, "$1"); named != sentence {
		all = append(all, wordsOf(code.ReplaceAllString(named, " it ")))
	}
	done := shipped.ReplaceAllString(tested.ReplaceAllString(sentence, "the test run"), "$1")
	if done != sentence {
		all = append(all, wordsOf(code.ReplaceAllString(done, " it ")))
	}
	spans := code.FindAllString(sentence, -1)
	if spans != nil && !letter.MatchString(code.ReplaceAllString(sentence, "")) {
		all = append(all, wordsOf(strings.Trim(strings.Join(spans, " "), "`")))
	}
	return all
}

// wordsOf returns the skeleton of a sentence without markup.
func wordsOf(sentence string) string {
	words, _ := plaintext.Skeleton(sentence)
	words = strings.NewReplacer("|", " ", "&amp;", " and ",
		"&", " and ").Replace(markup.ReplaceAllString(words, ""))
	return ornament.ReplaceAllString(strings.Join(strings.Fields(words), " "), "")
}
