package approval

import (
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
)

// Approvals judge the words and presses that permit something.
type Approvals struct {
	Judgements
	Catalog     *catalog.Catalog
	Permissions *permission.Permissions
}

// HeldWords are the words of people who may not approve, once work is approved or somebody
// stopped it: they are kept, offered to those who may approve, and passed on by them. The
// same people let stopped work go on, and adopt what others asked for.
type HeldWords struct {
	Judgements
	Permissions *permission.Permissions
}

// Judgements make the parts that follow from one message.
type Judgements struct{ *ledger.Ledger }
