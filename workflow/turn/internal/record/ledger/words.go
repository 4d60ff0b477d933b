package ledger

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/agent"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/prompt"
)

// OwnWords returns an agent's words as a text for the thread. Where they claim what only the program may
// say, they are refused the first time that the agent tries in this turn; later the text goes on with what
// the program knows.
func (l *Ledger) OwnWords(
	ctx context.Context, who, words string,
) (text workflow.Text, refusal string, err error) {
	text.Add(workflow.Unmark(words))
	known, refusal, err := l.CheckWords(ctx, who, words)
	text.Vouch(known)
	return text, refusal, err
}

// OwnLine returns a line with the orchestrator's own words and, below them, what the program knows if they
// claim what only the program may say. Such words are refused the first time, as by [Ledger.OwnWords].
func (l *Ledger) OwnLine(
	ctx context.Context, words string, buttons ...workflow.Button,
) (lines []workflow.Line, refusal string, err error) {
	known, refusal, err := l.CheckWords(ctx, l.Agents[agent.Orchestrator].Signature(), words)
	return VouchBelow(l.AgentLine(words, buttons...), known), refusal, err
}

// CheckWords returns what the program says beside an agent's words that claim what only the program may say,
// or, the first time that the agent tries in this turn, why they are refused.
func (l *Ledger) CheckWords(ctx context.Context, who, words string) (known, refusal string, err error) {
	found := claim.In(words)
	if len(found) == 0 {
		return "", "", nil
	}
	key := "claims of " + who
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.warned[key] {
		if l.warned == nil {
			l.warned = map[string]bool{}
		}
		l.warned[key] = true
		return "",
			fmt.Sprintf("Not said: %s. Only the program says what was pushed, who approved or reviewed it, "+
				"and how many tests there are or pass; it says so by itself. Say what you found or do, "+
				"without this.",
				plaintext.QuoteLine(found[0].Sentence)), nil
	}
	known, err = l.contradiction(ctx, who, found)
	return known, "", err
}

// Contradict returns what the program says beside an agent's words that claim what only the program may say,
// or an empty string. It is for words that end the agent's work: a refusal would make it go on.
func (l *Ledger) Contradict(ctx context.Context, who, words string) (string, error) {
	found := claim.In(words)
	if len(found) == 0 {
		return "", nil
	}
	return l.contradiction(ctx, who, found)
}

func (l *Ledger) contradiction(ctx context.Context, who string, found []claim.Claim) (string, error) {
	known, err := l.knownOf(ctx, found)
	return fmt.Sprintf("These are %s's own words. %s", who, known), err
}

// Headline returns an agent's words for a line or a name that is the program's own: without the sentences
// that claim what only the program may say. If nothing else is left, it returns the session's title.
func (l *Ledger) Headline(words string) string {
	rest, found := claim.Without(words)
	if len(found) == 0 || !plaintext.Blank(rest) {
		return rest
	}
	asked, _ := claim.Without(l.Session().Title)
	return cmp.Or(asked, "what was asked")
}

// knownOf returns what the program knows of what was claimed.
func (l *Ledger) knownOf(ctx context.Context, found []claim.Claim) (string, error) {
	var known []string
	claimed := map[claim.Kind]bool{}
	for _, c := range found {
		if claimed[c.Kind] {
			continue
		}
		claimed[c.Kind] = true
		text := "How many tests pass is said only in lines with this mark."
		var err error
		switch c.Kind {
		case claim.Review:
			text = "What a review found is said only in lines with this mark."
		case claim.Push:
			text, err = l.pushedText(ctx)
		case claim.Approval:
			text, err = l.approvedText(ctx)
		}
		if err != nil {
			return "", err
		}
		known = append(known, text)
	}
	return strings.Join(known, " "), nil
}

// pushedText says what was pushed last in the session.
func (l *Ledger) pushedText(ctx context.Context) (string, error) {
	pushes, err := l.Store.Pushes(ctx, l.Session().ID)
	text := "Nothing was pushed in this thread."
	for _, p := range pushes {
		if p.State == workflow.PushDone {
			text = fmt.Sprintf("The last push of this thread: `%s` at %s.", p.Branch,
				prompt.ShortHash(p.Commit))
		}
	}
	return text, err
}

// approvedText says who approved the newest revision.
func (l *Ledger) approvedText(ctx context.Context) (string, error) {
	revision := l.Session().Revision
	if revision == 0 {
		return "Nobody has approved anything yet.", nil
	}
	a, err := l.Store.Approval(ctx, l.Session().ID, revision)
	if err != nil || a == nil {
		return fmt.Sprintf("Nobody has approved revision %d.", revision), err
	}
	return fmt.Sprintf("Revision %d was approved by %s.", revision, plaintext.OneLine(a.UserName)), nil
}
