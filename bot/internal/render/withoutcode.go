package render

import (
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
)

// CardWithoutCode returns a copy of the card that people without access to the code may see.
func CardWithoutCode(c *workflow.Card) *workflow.Card {
	if c == nil {
		return nil
	}
	short := *c
	if short.Running != "" {
		short.Running = "a command"
	}
	short.Tasks = slices.Clone(c.Tasks)
	for i := range short.Tasks {
		short.Tasks[i].Title = wordsWithoutCode(short.Tasks[i].Title)
	}
	return &short
}

// PostingWithoutCode returns a copy of the posting that people without access to the code may see. It says
// why if the posting had files, or text hidden beside its buttons.
func PostingWithoutCode(posting *workflow.Posting, why string) *workflow.Posting {
	short := *posting
	cut := false
	short.Note = wordsWithoutCode(posting.Note)
	short.Card = CardWithoutCode(posting.Card)
	short.Lines = slices.Clone(posting.Lines)
	for i := range short.Lines {
		l := &short.Lines[i]
		text := wordsWithoutCode(l.Text)
		_, footer, hasFooter := strings.Cut(Brief(*l).Text, "\n")
		l.Vouched = workflow.FirstOnly(l.Vouched)
		if strings.Contains(strings.TrimSpace(l.Text), "\n") {
			text += " " + hidden
		}
		// Lines of progress only get the mark: a sentence below each would be noise.
		cut = cut || text != l.Text && len(l.Buttons) > 0 || len(l.Files) > 0
		if cut && i == len(short.Lines)-1 {
			text += "\n(" + KeptBack(why, posting.Session) + ")"
		}
		if hasFooter { // without its first fact, which names the repository and the commit
			_, facts, _ := strings.Cut(footer, footerMark)
			text += "\n" + facts
			l.Vouched = append(l.Vouched, strings.Count(text, "\n"))
		}
		l.Text = text
		l.Files = nil
		l.Buttons = slices.Clone(l.Buttons)
		for n := range l.Buttons {
			l.Buttons[n].Label = wordsWithoutCode(l.Buttons[n].Label)
		}
	}
	return &short
}

// KeptBack says that code is hidden, why, and how it can be read; session may be empty.
func KeptBack(why, session string) string {
	return "Code and paths are not shown: " + why + ". My operator can read all of it with `" +
		strings.TrimSpace("bobbin sessions "+session) + "`."
}

// hidden replaces a hidden word.
const hidden = "[…]"

var (
	someCode = regexp.MustCompile("`+[^`]*`*")
	// A word that contains a slash, a dot, an underscore, a bracket or an inner capital is a path or an
	// identifier. A number is not.
	ofCode = regexp.MustCompile(`[/\\_(){}\[\]<>=;$#@|~^*&]|::|->|\w\.[A-Za-z]|[a-z][A-Z]|[A-Z]{2,}[a-z]`)
	// What stands around a word: quotes, brackets, the marks of bold text, and the end of a sentence.
	wrapped = regexp.MustCompile(`^[("'“\[*]*(.*?)[)"'”\].,:;!?…*]*$`)
)

// wordsWithoutCode returns the first line of a text without code, paths and identifiers. Whatever is not
// clearly a word counts as code.
func wordsWithoutCode(text string) string {
	// without signs, which could come to look like the program's when the words before them are hidden
	first, _, _ := strings.Cut(workflow.Unmark(strings.TrimSpace(text)), "\n")
	words := strings.Fields(someCode.ReplaceAllString(first, hidden))
	for i, w := range words {
		bare := wrapped.FindStringSubmatch(w)[1]
		if w != hidden && ofCode.MatchString(bare) {
			words[i] = strings.Replace(w, bare, hidden, 1)
		}
	}
	return strings.Join(words, " ")
}
