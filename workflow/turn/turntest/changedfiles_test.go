package turntest_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/workflow"
	"github.com/bobbinhq/bobbin/workflow/turn/turntest"
)

// A worker's command that changes files says which, so that the worker reads them again: not one that only
// reads, and not what the worker itself edited. The orchestrator's commands change nothing that stays.
func TestACommandNamesTheFilesThatItChanged(t *testing.T) {
	t.Parallel()
	th := turntest.Open(t, turntest.Settings{
		Commands: true,
		Files:    map[string]string{"gen/a.txt": "1\n", "gen/b.txt": "1\n", ".gitignore": "*.tmp\n"},
		Script: `
== gpt-5
call run {"command": "echo 2 > gen/a.txt"}
---
expect not tool run "Commands have changed"
call read_file {"path": "README.md"}
---
` + reportsREADME + `
---
expect user "was approved by bea"
call delegate {"tasks": [{"description": "the number becomes right", "category": "deep"}]}
---
call blocked {"reason": "only people know the right total"}
== gpt-5 when user "the number becomes right"
call run {"command": "echo 2 > gen/a.txt; rm gen/b.txt; echo x > out.tmp; echo > 'gen/a  b'"}
---
expect tool run "Commands have changed 3 files since your last run or edit: gen/a  b (new), gen/a.txt, g"
expect tool run "gen/b.txt (removed). What you read of them before that is out of date."
call write_file {"path": "gen/mine.txt", "content": "x"}
---
call run {"command": "cat gen/*.txt"}
---
expect not tool run "Commands have changed"
call run {"command": "for i in 1 2 3 4 5 6 7; do echo $i > gen/$i.txt; done"}
---
expect tool run "Commands have changed 7 files since your last run or edit: gen/1.txt (new), gen/2.txt (new)"
expect tool run "gen/5.txt (new) and 2 more."
call blocked {"reason": "nobody knows"}
`,
	})
	th.Say("ann", "@bobbin the total is wrong")
	th.Press("bea", workflow.ButtonFix)
	require.Contains(t, th.Text(), "nobody knows")
}
