package git

import (
	"github.com/bobbinhq/bobbin/repo/git/internal/bundle"
	"github.com/bobbinhq/bobbin/repo/git/internal/gittree"
	"github.com/bobbinhq/bobbin/repo/git/internal/merge"
	"github.com/bobbinhq/bobbin/repo/git/internal/transfer"
)

// What is pushed, and what the remote says of itself and of the push.
type (
	PushSpec   = transfer.PushSpec
	RemoteInfo = transfer.RemoteInfo
)

// DefaultPrefix begins the names of all branches that are pushed, if the configuration names no other prefix.
const DefaultPrefix = transfer.DefaultPrefix

// MergeLabels name the two sides in conflict markers.
type MergeLabels = merge.Labels

// What files, packs and merges are refused for.
type (
	PathError = gittree.PathError
	PackError = bundle.Error
	Conflict  = merge.Conflict
)
