package past_test

import (
	"context"
	"fmt"
	"strconv"

	"github.com/bobbinhq/bobbin/repo/proof/past"
)

// The bug came with commit 37 of 100; nobody builds them all.
func ExampleSearch_Run() {
	search := past.Search{
		Parents: func(_ context.Context, commit string) (parents []string, cut bool, err error) {
			n, err := strconv.Atoi(commit)
			if n <= 1 {
				return nil, false, err
			}
			return []string{strconv.Itoa(n - 1)}, false, err
		},
		Ask: func(_ context.Context, commit string, _ int) (past.Answer, error) {
			n, err := strconv.Atoi(commit)
			if n >= 37 {
				return past.Red, err
			}
			return past.Green, err
		},
	}
	found, err := search.Run(context.Background(), "100")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("red since %s, certain: %v, %d runs\n", found.First, found.Certain, found.Runs)
	// Output:
	// red since 37, certain: true, 16 runs
}
