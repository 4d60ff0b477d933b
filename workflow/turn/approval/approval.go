package approval

import (
	"github.com/bobbinhq/bobbin/workflow/turn/catalog"
	"github.com/bobbinhq/bobbin/workflow/turn/ledger"
	"github.com/bobbinhq/bobbin/workflow/turn/permission"
)

// Approvals judge the words and clicks that permit something.
type Approvals struct {
	*ledger.Ledger
	Catalog     *catalog.Catalog
	Permissions *permission.Permissions
}
