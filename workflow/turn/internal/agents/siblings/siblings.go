package siblings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/tool"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/agents/evidence"
)

const (
	maxFound  = 100 // lines of a tree that a pattern may match at most
	maxListed = 12  // places up to which the model is sent back before people read the report
	maxShown  = 120 // characters of a pattern, or of a place
)

// A Search holds where the siblings of a report are searched, and what else the report says.
type Search struct {
	Root   *os.Root
	Folder string // folder of the tree that is explored; "." for all of it
	Past   evidence.Past
	Cause  string // the report's cause of the defect, with its line
	Change string // the report's text of what will change
}

// Settle searches the tree for the pattern in claimed, and replaces claimed by what is known of each place
// that matches. If the model has to correct something or look at places first, Settle returns that in
// wrong and leaves claimed unchanged. An error means that the machine failed.
func (s Search) Settle(ctx context.Context, claimed *workflow.Siblings) (wrong string, err error) {
	judged, err := readPlaces(claimed.Places)
	if err != nil {
		return refusal(err)
	}
	search, err := tool.NewSearch(claimed.Pattern, claimed.Literal)
	if err != nil {
		return refusal(err)
	}
	hits, err := search.Lines(ctx, s.Root, s.Folder)
	if err != nil {
		return refusal(err)
	}
	if hits.Total > maxFound {
		return refusal(model.Mistakef("the pattern %s matches %s lines, which is the shape of no defect. "+
			"Give one that finds the faulty shape alone, or leave siblings out.",
			shown(claimed.Pattern), plaintext.FormatCount(hits.Total)))
	}
	places, err := s.settle(claimed.Pattern, hits.Lines, judged)
	if err != nil {
		return refusal(err)
	}
	if wrong := s.sendBack(claimed.Pattern, places, judged); wrong != "" {
		return wrong, nil
	}
	*claimed = workflow.Siblings{
		Pattern: claimed.Pattern,
		Literal: claimed.Literal,
		Places:  places,
		Partly:  !hits.Whole,
	}
	return "", nil
}

// refusal returns a mistake of the model as text for the model, and any other error as an error.
func refusal(err error) (string, error) {
	var mistake model.Mistake
	if errors.As(err, &mistake) {
		return "siblings: " + string(mistake), nil
	}
	return "", err
}

// settle returns what is known of each line that matches the pattern, without the cause.
func (s Search) settle(pattern string, hits []tool.Hit, judged []judgement) ([]workflow.Sibling, error) {
	cause, err := s.cause(pattern, hits)
	if err != nil {
		return nil, err
	}
	var places []workflow.Sibling
	found := map[string]bool{}
	for i, h := range hits {
		its, err := verdictOn(h, hits, judged, found)
		switch {
		case err != nil:
			return nil, err
		case i == cause || its == nil && s.cites(h):
			continue
		}
		place := workflow.Sibling{At: placeOf(h).String(), Verdict: workflow.SiblingNotLookedAt}
		if its != nil && s.Past.Read(placeOf(h)) {
			place.Verdict = its.Verdict
			place.Why = plaintext.OneLine(its.Why)
			place.InFix = its.Verdict == workflow.SiblingAffected &&
				inScope(s.Change, h, hits[cause].Path, hits)
		}
		places = append(places, place)
	}
	for _, j := range judged {
		if !found[j.At] {
			return nil, model.Mistakef("the pattern %s finds nothing at %s. Correct the place, widen the "+
				"pattern (a|b), or leave the place out.", shown(pattern), plaintext.SafeLine(j.At, maxShown))
		}
	}
	return places, nil
}

// verdictOn returns the model's judgement of a line, or nil if there is none. It marks in found which
// judgements matched a line.
func verdictOn(
	h tool.Hit, hits []tool.Hit, judged []judgement, found map[string]bool,
) (its *judgement, err error) {
	for _, j := range judged {
		if !isOnlyEnd(j.path, h.Path, hits) || h.Line < j.first || h.Line > j.last {
			continue
		}
		found[j.At] = true
		if its != nil && its.Verdict != j.Verdict {
			return nil, model.Mistakef("%s is called both affected and not affected.", placeOf(h))
		}
		its = &j
	}
	return its, nil
}

// cause returns the index of the hit that is the defect itself: the first one that the report's cause
// names.
func (s Search) cause(pattern string, hits []tool.Hit) (int, error) {
	cited := evidence.PlacesOf(s.Cause)
	for _, place := range cited {
		for i, h := range hits {
			if place.Contains(h.Path, h.Line) {
				return i, nil
			}
		}
	}
	for i, h := range hits {
		if s.cites(h) {
			return i, nil
		}
	}
	if len(cited) == 0 {
		return 0, model.Mistake("the cause names no line to hold the pattern against. " +
			"Name the wrong line in it as file:line.")
	}
	return 0, model.Mistakef("the pattern %s does not match the cause's own line (%s), so that it finds "+
		"not even this defect. Give one that does, or leave siblings out.", shown(pattern), cited[0])
}

// cites reports whether the report's cause names the line of h.
func (s Search) cites(h tool.Hit) bool {
	for _, place := range evidence.PlacesOf(s.Cause) {
		if place.Contains(h.Path, h.Line) {
			return true
		}
	}
	return evidence.Names(s.Cause, placeOf(h).String())
}

// sendBack returns the text that sends the model back to the places it has not looked at. It is empty
// if there are none, if there are more than maxListed, or if the model was sent back for this pattern
// before.
func (s Search) sendBack(pattern string, places []workflow.Sibling, judged []judgement) string {
	var left []string
	for _, p := range places {
		if p.Verdict == workflow.SiblingNotLookedAt {
			left = append(left, plaintext.QuotePath(p.At))
		}
	}
	told := fmt.Sprintf("Not posted yet. The pattern %s of siblings ", shown(pattern))
	if len(left) == 0 || len(left) > maxListed || s.Past.WasTold(told) {
		return ""
	}
	also := ""
	if len(judged) > 0 {
		also = ", or not after reading them"
	}
	return fmt.Sprintf("%sfinds these, which you did not judge%s: %s. Read each with a tool: a verdict on a "+
		"line that you did not read is dropped. Then report again with a verdict and its why in places; "+
		"people are told of the others that nobody looked at them. "+
		"An affected one is in this fix only if what you say will change names its file:line.", told, also,
		strings.Join(left, ", "))
}

// shown returns a pattern as code, in one line.
func shown(pattern string) string { return plaintext.CodeSpan(plaintext.SafeLine(pattern, maxShown)) }
