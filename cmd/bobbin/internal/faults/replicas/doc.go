// Package replicas tests several replicas of the built program, each as on a machine of its own:
// in a network namespace, with a data directory and a process of its own. They share Postgres, and
// reach it, Slack, the model and the git remotes over a bridge. The package has tests alone; they need
// root, Linux and iproute2's ip, and say so where something is missing.
//
// BOBBIN_REPLICAS="1 2 3 4" measures that many replicas one after the other under the same load
// (make replicas), BOBBIN_REPLICAS=small plays a few sessions on two; without it nothing runs.
package replicas
