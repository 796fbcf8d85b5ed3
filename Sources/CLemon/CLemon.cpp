#include "CLemon.h"

#include <exception>
#include <lemon/network_simplex.h>
#include <lemon/smart_graph.h>

extern "C" int throng_circulation(int32_t nodes, int32_t arcs, const throng_arc *network, int64_t *flows) {
    try {
        lemon::SmartDigraph graph;
        graph.reserveNode(nodes);
        graph.reserveArc(arcs);
        for (int32_t node = 0; node < nodes; node++) graph.addNode();
        for (int32_t arc = 0; arc < arcs; arc++) {
            graph.addArc(graph.nodeFromId(network[arc].from), graph.nodeFromId(network[arc].to));
        }
        lemon::SmartDigraph::ArcMap<int64_t> capacities(graph), costs(graph);
        for (int32_t arc = 0; arc < arcs; arc++) {
            capacities[graph.arcFromId(arc)] = network[arc].capacity;
            costs[graph.arcFromId(arc)] = network[arc].cost;
        }
        lemon::NetworkSimplex<lemon::SmartDigraph, int64_t, int64_t> simplex(graph);
        using Simplex = decltype(simplex);
        if (simplex.upperMap(capacities).costMap(costs).run() != Simplex::OPTIMAL) return 0;
        for (int32_t arc = 0; arc < arcs; arc++) flows[arc] = simplex.flow(graph.arcFromId(arc));
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}
