package catalog

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/bobbinhq/bobbin/repo/git"
	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/repository"
	"github.com/bobbinhq/bobbin/workflow/store"
)

// A Base is what a request says of the branch or tag that it is about.
type Base struct {
	Name string // empty: the repository's base
	Said string // what people are told of a name that does not count; empty: nothing
}

// Base returns the branch or tag of r that the newest message names which names one. all lists the branches
// and tags whose names are wanted.
func (c *Catalog) Base(
	ctx context.Context, r repository.Repository, all func(wanted func(string) bool) []git.ReleaseBranch,
) (Base, error) {
	unseen, err := c.Inbox().Unseen(ctx, 0)
	if err != nil {
		return Base{}, fmt.Errorf("choose the base: %w", err)
	}
	texts := []string{c.Session().Title}
	for _, m := range unseen {
		if !slices.Contains(notByPeople, m.Kind) {
			texts = append(texts, m.Text)
		}
	}
	for _, text := range slices.Backward(texts) {
		if b := baseIn(withoutQuotes(text), r, all); b != (Base{}) {
			return b, nil
		}
	}
	return Base{}, nil
}

// notByPeople are the kinds of message that nobody in the thread wrote.
var notByPeople = []workflow.MessageKind{
	workflow.MessagePreview, workflow.MessageTold, workflow.MessageAlert,
}

const aBranch = "[`\"']?([A-Za-z0-9][A-Za-z0-9._/+-]*)"

var (
	// namesBase are the forms that name a branch or tag and nothing else: "branch: release/1.4", "on the
	// branch checkout-v2".
	namesBase = []*regexp.Regexp{
		regexp.MustCompile(`(?i)\b(?:branch|base|tag)\s*[:=]\s*` + aBranch),
		regexp.MustCompile(`(?i)\b(?:on|from|in|of|off|use|using)\s+(?:the\s+)?(?:branch|tag)\s+` + aBranch),
		regexp.MustCompile(`https?://\S+/(?:-/)?(?:tree|commits|src/(?:branch|tag)|releases/tag)/` +
			`([^\s<>|)#?]+)`),
	}
	// mayNameBase matches words that name a branch or tag, or anything else: "customers on 1.4.3". What works
	// there is not what the request is about.
	mayNameBase = regexp.MustCompile(`(?i)(?:\b(works?|worked|working|fine|ok|okay|good|green|passes|` +
		`passed|not|since|until|before)\s+)?` +
		`\b(?:on|in|from|for|of|against|with|using|running|version|release|at)\s+` +
		`(?:the\s+)?(?:version\s+|release\s+)?` + aBranch)
	// likeBranch matches what is a branch or a version by its form.
	likeBranch = regexp.MustCompile(`/|^v?\d+(?:\.\d+)+|^v\d+$`)
)

// wordsForBase returns what a text says in places where a branch or a tag may stand. sure: it names one.
func wordsForBase(text string) (words []string, sure bool) {
	add := func(word string) {
		if word = strings.TrimRight(word, ".,;:!?/-"); word != "" && !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	for _, form := range namesBase {
		for _, m := range form.FindAllStringSubmatch(text, -1) {
			add(m[1])
		}
	}
	if len(words) > 0 {
		return words, true
	}
	for _, m := range mayNameBase.FindAllStringSubmatch(text, -1) {
		if m[1] == "" && likeBranch.MatchString(m[2]) {
			add(m[2])
		}
	}
	return words, false
}

// baseIn returns what a text says of the base.
func baseIn(
	text string, r repository.Repository, all func(wanted func(string) bool) []git.ReleaseBranch,
) Base {
	words, sure := wordsForBase(text)
	if len(words) == 0 {
		return Base{}
	}
	list := all(func(name string) bool {
		return !r.IsOwn(name) && slices.ContainsFunc(words, func(word string) bool {
			return name == word || repository.NamesEnd(name, word) || strings.HasPrefix(word, name+"/")
		})
	})
	var found []string
	for _, word := range words {
		for _, b := range findBase(list, r, word) {
			if !slices.Contains(found, b.Name) {
				found = append(found, b.Name)
			}
		}
	}
	switch {
	case len(found) == 1 && r.IsBase(found[0]):
		return Base{Name: found[0]}
	case len(found) == 1:
		return Base{Said: fmt.Sprintf("%s may not be the base here: my operator can allow it, under `bases` "+
			"of %s.", plaintext.CodeSpan(found[0]), r.Name)}
	case len(found) > 1:
		return Base{Said: fmt.Sprintf("Several branches are named (%s).",
			plaintext.FirstOf(codeSpans(found), mostNear)) + howToChoose}
	case sure:
		return Base{Said: fmt.Sprintf("There is no branch or tag %s.", plaintext.CodeSpan(words[0])) +
			howToChoose}
	}
	return Base{}
}

const howToChoose = " Reply `branch: NAME` for another one."

// findBase returns the branches or tags that a word may mean; of an address also the one that it begins with.
func findBase(all []git.ReleaseBranch, r repository.Repository, word string) []git.ReleaseBranch {
	if found := r.FindBranches(all, word); len(found) > 0 {
		return found
	}
	for _, b := range all {
		if strings.HasPrefix(word, b.Name+"/") {
			return []git.ReleaseBranch{b}
		}
	}
	return nil
}

func codeSpans(names []string) (spans []string) {
	for _, name := range names {
		spans = append(spans, plaintext.CodeSpan(name))
	}
	return spans
}

// BaseButton returns the button that asks for another base of r, or nil if there is none, or if work was
// approved already. names are those of the remote's branches and tags; the button's value holds those to
// choose from.
func (c *Catalog) BaseButton(r repository.Repository, names []string) []workflow.Button {
	names = slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !r.IsBase(name) })
	if len(names) < 2 || c.Session().Branch != "" {
		return nil
	}
	return []workflow.Button{{
		ActionID: workflow.ButtonBase,
		Label:    "Change branch…",
		Value:    store.NewToken(),
		Means:    strings.Join(names, "\n"),
	}}
}
