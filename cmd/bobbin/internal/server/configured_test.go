package server

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bobbinhq/bobbin/cmd/bobbin/internal/config"
)

func TestChangesAreReviewedUnlessThatIsOff(t *testing.T) {
	t.Parallel()
	for review, off := range map[string]bool{"": false, "on": false, "off": true} {
		require.Equal(t, off, repositoryOf(config.Repository{
			Name:     "shop",
			Approval: config.Approval{Review: review},
		}, nil, nil).Unreviewed, review)
	}
}
