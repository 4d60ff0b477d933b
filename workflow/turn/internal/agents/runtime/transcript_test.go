package runtime

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/repo/build/result"
	"github.com/bobbinhq/bobbin/workflow/model"
	"github.com/bobbinhq/bobbin/workflow/store/progress"
	"github.com/bobbinhq/bobbin/workflow/tool"
)

// The pictures of a message are added when a model is asked, and are not stored in the transcript.
func TestATranscriptKeepsNoPictures(t *testing.T) {
	t.Parallel()
	m := model.Message{
		Role:     model.User,
		Pictures: []model.Picture{{Ref: "attachment:2", Media: "image/png", Data: []byte("png")}},
	}
	item, err := marshalMessage(&m)
	require.NoError(t, err)
	require.NotContains(t, string(item), "data")
	require.Nil(t, m.Pictures[0].Data)
	require.Equal(t, "attachment:2", m.Pictures[0].Ref)
}

// A proof calls a test by its function if it has several cases, with its group in front if another group has
// a test of that name, and "of" a group whose tests did not compile. A check remembers all of these.
func TestACheckKnowsATestByEveryNameThatAProofGivesIt(t *testing.T) {
	t.Parallel()
	check := func(r result.Result) progress.Check {
		ran := tool.CheckRun{Result: r}
		parts, err := (&Transcript{task: 1}).partsOf([]model.Write{ran})
		require.NoError(t, err)
		return parts[0].(progress.Check)
	}
	for label, red := range map[string]result.Test{
		"TestSplit":                     {Name: "TestSplit/rest", Of: "TestSplit"},
		"test_split":                    {Name: "test_split[1-2]", Of: "test_split"},
		"test_sum":                      {Name: "test_sum (i=1)", Of: "test_sum", Group: "tests.Sums"},
		"example.com/shop/cart TestNew": {Name: "TestNew", Group: "example.com/shop/cart"},
		"example.com/shop/cart TestMany": {
			Name: "TestMany/none", Of: "TestMany", Group: "example.com/shop/cart",
		},
		"of example.com/shop/cart": result.BrokenGroup("example.com/shop/cart", "does not compile", ""),
	} {
		red.Status = result.Failed
		require.True(t, check(result.Result{Tests: []result.Test{red}}).Failed(label), label)
		red.Status = result.Passed
		require.False(t, check(result.Result{Tests: []result.Test{red}}).Failed(label), label)
	}
	other := check(result.Result{
		Tests: []result.Test{{Name: "TestNew", Group: "example.com/shop/cart", Status: result.Failed}},
	})
	require.False(t, other.Failed("example.com/shop/money TestNew"))
	require.False(t, other.Failed("New"))

	require.NotEmpty(t, check(result.Result{TestsRan: true, ExitCode: 1}).Red, "the tests have no names")
	require.Empty(t, check(result.Result{
		TestsRan: true,
		ExitCode: 1,
		Missing:  result.Missing{Tests: "make is not installed"},
	}).Red)
	require.Empty(t, check(result.Result{TestsRan: true, TestsOK: true}).Red)
}
