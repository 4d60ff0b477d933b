package page

import (
	"fmt"
	"time"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/plaintext"
	"github.com/bobbinhq/bobbin/workflow/store/view"
)

// A share is what one agent used of a session. Models, Tools and Money are percentages of the largest value.
type share struct {
	Name                string
	Took, Spent, Tokens string
	Models, Tools       int // percentage of the time, spent with models and with tools
	Money               int
}

// bars holds the shares of all agents.
type bars struct {
	Shares []share
	Priced bool
}

// shares returns the bars of a session, and whether amounts of money are shown. They are shown only if some
// spending is known by agent; the rest of what the session spent gets its own bar.
func shares(list []view.Share, spent float64) (bars []share, priced bool) {
	var longest time.Duration
	var most, known float64
	for _, s := range list {
		longest = max(longest, s.Models+s.Tools)
		most = max(most, s.USD)
		known = known + s.USD
	}
	unknown := spent - known
	if unknown < 0.005 || known == 0 {
		unknown = 0
	}
	most = max(most, unknown)
	for _, s := range list {
		b := share{
			Name:  s.Who,
			Took:  (s.Models + s.Tools).Round(100 * time.Millisecond).String(),
			Spent: workflow.Money(s.USD),
		}
		if longest > 0 {
			b.Models = int(100 * s.Models / longest)
			b.Tools = int(100 * s.Tools / longest)
		}
		if most > 0 {
			b.Money = int(100 * s.USD / most)
		}
		if s.Calls > 0 {
			b.Tokens = fmt.Sprintf("%s, %s tokens read, %s written", plaintext.CountNoun(s.Calls,
				"model call"), plaintext.FormatCount(s.Input), plaintext.FormatCount(s.Output))
		}
		bars = append(bars, b)
	}
	if unknown > 0 {
		bars = append(bars, share{
			Name:  "not recorded by agent",
			Spent: workflow.Money(unknown),
			Money: int(100 * unknown / most),
		})
	}
	return bars, known > 0
}
