package judge

import (
	"fmt"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/intent"
	"github.com/bobbinhq/bobbin/workflow/store"
	"github.com/bobbinhq/bobbin/workflow/store/inbox"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/ledger"
)

// withSign adds a sign to what follows from a message if that says nothing by itself, and a model is asked:
// people see at once that the message, or the press, was taken. The sign is recorded with the judgement, and
// so before the model is asked.
func (j *Judge) withSign(m intent.Message, parts []store.Part) []store.Part {
	if !j.Store.Signs || saysSomething(parts) {
		return parts
	}
	if q, asks := ledger.Find[progress.Inquiry](parts); asks {
		words := inquirySign[q.Kind]
		if words == "" { // the program answers it at once
			return parts
		}
		return append(parts, store.Sign{Of: q.Key, Line: j.ProgramLine(words)[0]})
	}
	handled, _ := ledger.Find[inbox.Handled](parts)
	works := j.Session().Open || store.Combined(parts).Opens()
	if !handled.ForAgents || !works || m.Says.Acknowledges {
		return parts
	}
	return append(parts, store.Sign{
		Of:   fmt.Sprintf("words:%d", m.ID),
		Line: j.ProgramLine("Looking into it …")[0],
	})
}

// inquirySign says of an inquiry that an agent is asked.
var inquirySign = map[workflow.InquiryKind]string{
	workflow.InquiryConsult: "Asking for a second opinion …",
	workflow.InquiryExplain: "Reading the change, to explain it …",
	workflow.InquiryReview:  "Having the change reviewed …",
}

// saysSomething reports whether the parts show somebody anything.
func saysSomething(parts []store.Part) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case store.Lines:
			if len(p) > 0 {
				return true
			}
		case store.Replies:
			if len(p) > 0 {
				return true
			}
		case store.Reworded, store.Hint:
			return true
		}
	}
	return false
}
