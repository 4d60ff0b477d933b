// Package replicas tests several replicas of the built program, each as on a separate machine: in its own
// network namespace, with its own process and data directory. They share Postgres, and reach it, Slack, the
// model and the git remotes over a bridge. The package contains only tests. They need root, Linux and
// iproute2's ip, and say so when they skip.
//
// BOBBIN_REPLICAS="1 2 3 4" measures these numbers of replicas one after the other under the same load (make
// replicas), and BOBBIN_REPLICAS=small plays a few sessions on two. Without it nothing runs.
package replicas
