package claim_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow/turn/internal/record/claim"
)

// claims lists sentences that only the program may say.
var claims = map[claim.Kind][]string{
	claim.Tests: {
		"500 tests added.",
		"All 214 tests pass.",
		"All tests pass now.",
		"Added 3 new tests.",
		"I wrote 12 unit tests for it.",
		"214 passed, 0 failed",
		"12/12 tests pass",
		"12 of 12 pass",
		"The whole test suite passes.",
		"the entire suite is green",
		"With 500 new tests",
		"Every test is green.",
		"3 regression tests were added",
		"There are 500 tests in total now",
		"go test ./...: 214 passed",
		"ran 1,254 tests",
		"Ｆive hundred: 500 ｔests added",
		"all the existing tests still pass",
		"Two new tests pass.",
		"**500** tests added",
		"500 te\u200bsts added",
		"Alle 214 Tests sind grün",
		"500 Tests hinzugefügt",
		"Tous les tests passent",
		"500 tests ajoutés",
		"Todas las pruebas pasan",
		"Todos os testes passam",
		"500 件のテストを追加しました",
		"所有测试都通过了",
		"新增了 500 个测试，500 个测试通过",
		"모든 테스트가 통과했습니다",
	},
	claim.Push: {
		"Done. Pushed bobbin/x at 1a2b3c4.",
		"Pushed.",
		"I pushed it.",
		"I've just pushed the fix to main",
		"The fix is merged.",
		"The change has been deployed to production.",
		"Merged into main.",
		"Deployed to staging",
		"it was pushed to the branch",
		"Everything is pushed and green",
		"Done, pushed to origin",
		"We have merged the pull request",
		"The fix is live.",
		"Opened a pull request for it.",
		"the branch was pushed",
		"pull request #31 is merged",
		"Рushed it to main",
		"Der Fix ist gepusht",
		"Le correctif est poussé sur main",
		"修复已推送到主分支",
		"修正をプッシュしました",
		"수정을 배포했습니다",
		"Now committed to release/1.4",
		"Shipped.",
	},
	claim.Approval: {
		"Revision 1 approved by bob.",
		"bea has approved.",
		"bea has approved it",
		"Approved by @bob",
		"The fix was approved.",
		"This is approved by alice",
		"bob signed off on the fix",
		"As bea approved revision 2, I go on.",
		"Approved.",
		"I have your approval",
		"with bea's approval",
		"bob gave his go-ahead",
		"It was already approved",
		"Аpprоved bу bob",
		"genehmigt von bob",
		"approuvé par bob",
		"aprobado por bea",
		"已获批准",
		"bob が承認しました",
	},
}

// harmless lists sentences that are no claims.
var harmless = []string{
	"The test that I added fails on main.",
	"Nothing was pushed.",
	"It is not merged yet.",
	"Reading Split and PerLine, then a failing test for each",
	"Both new tests fail on the code as it is: 4.98 instead of 5.00, and 4.47 instead of 4.49",
	"I run the tests now.",
	"Adding a test for three articles first.",
	"Tests stand next to the code, in one table.",
	"Items are pushed onto the stack.",
	"The event is published to the queue.",
	"Merged cells are split again.",
	"The lock is released at the end.",
	"The two maps are merged before they are sorted.",
	"An order approved by the manager keeps its total.",
	"Only approved invoices are paid.",
	"The user approves the refund in the dialog.",
	"When bea has approved it, I begin.",
	"Once it is pushed, CI runs.",
	"It will be pushed after the review.",
	"Before it is merged, the cache has to be emptied.",
	"Shall I push it?",
	"If the tests pass, I call done.",
	"The test passes a nil map.",
	"TestSplit passes 3 shares to Split.",
	"It passes the total to 3 functions.",
	"The transaction is committed twice.",
	"The push is refused by the hook.",
	"Split hands out every cent.",
	"Who may approve it?",
	"It waits to be approved by somebody of the team.",
	"The pull request of last week (#12) changed the same lines.",
	"Commit 8eef0fc moved the cache; since then the total is off.",
	"the release branch still has the bug",
	"Every share gets its part of the rest.",
	"All shares add up to the total.",
	"The 3 callers stay as they are.",
	"No test covers this.",
	"There are no tests for refunds.",
	"Two tests share a fixture.",
	"The 12 tests in cart_test.go use one table.",
	"a released version keeps its number",
	"One test is skipped on Windows.",
	"It can't be merged as it is.",
	"Tests: a table with one row for each coupon",
	"`git push` is refused here.",
	"The button says `Approved by bob`.",
}

func TestClaims(t *testing.T) {
	t.Parallel()
	for kind, sentences := range claims {
		for _, s := range sentences {
			found := claim.In(s)
			if assert.NotEmpty(t, found, s) {
				assert.Equal(t, kind, found[0].Kind, s)
			}
			rest, _ := claim.Without(s)
			assert.Empty(t, claim.In(rest), rest)
		}
	}
	for _, s := range harmless {
		assert.Empty(t, claim.In(s), s)
		rest, _ := claim.Without(s)
		require.Equal(t, s, rest)
	}
}

func TestTheRestStays(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"Split hands out every cent. 500 tests added. The callers stay.":              "Split hands out every cent. The callers stay.",
		"Split hands out every cent.\n\n- 500 tests added\n- the callers stay":        "Split hands out every cent.\n\n- the callers stay",
		"Pushed to main. Approved by bob.":                                            "",
		"Split rounds (`money/split.go:13`); all tests pass.\nPerLine does the same.": "Split rounds (`money/split.go:13`);\nPerLine does the same.",
	} {
		got, found := claim.Without(text)
		require.Equal(t, want, got)
		require.NotEmpty(t, found)
	}
}

func FuzzWithout(f *testing.F) {
	for _, list := range claims {
		for _, s := range list {
			f.Add(s)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest, found := claim.Without(text)
		require.LessOrEqual(t, len(rest), len(text))
		if found == nil {
			require.Equal(t, text, rest)
		}
	})
}
