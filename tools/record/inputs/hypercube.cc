// SPDX-License-Identifier: GPL-2.0
// A hypercube of hosts: messages cross its links and are gone.
#include <ns3/applications-module.h>
#include <ns3/core-module.h>
#include <ns3/internet-module.h>
#include <ns3/network-module.h>
#include <ns3/point-to-point-module.h>

using namespace ns3;

int main(int argc, char **argv)
{
	const unsigned dimensions = argc > 1 ? atoi(argv[1]) : 4;
	const double seconds = argc > 2 ? atof(argv[2]) : 1;
	const unsigned hosts = 1 << dimensions;

	NodeContainer nodes;
	nodes.Create(hosts);
	InternetStackHelper stack;
	stack.SetIpv6StackInstall(false);
	stack.Install(nodes);

	PointToPointHelper link;
	link.SetDeviceAttribute("DataRate", StringValue("10Mbps"));
	link.SetChannelAttribute("Delay", StringValue("1ms"));
	Ipv4AddressHelper address;
	address.SetBase("10.0.0.0", "255.255.255.252");
	for (unsigned i = 0; i < hosts; i++)
		for (unsigned bit = 1; bit < hosts; bit <<= 1)
			if (i < (i ^ bit)) {
				address.Assign(link.Install(nodes.Get(i),
							    nodes.Get(i ^ bit)));
				address.NewNetwork();
			}
	Ipv4GlobalRoutingHelper::PopulateRoutingTables();

	Ptr<UniformRandomVariable> random = CreateObject<UniformRandomVariable>();
	for (unsigned i = 0; i < hosts; i++) {
		PacketSinkHelper sink("ns3::UdpSocketFactory",
				      InetSocketAddress(Ipv4Address::GetAny(), 9));
		sink.Install(nodes.Get(i)).Start(Seconds(0));
		Ptr<Node> to = nodes.Get(random->GetInteger(0, hosts - 1));
		Ipv4Address there = to->GetObject<Ipv4>()->GetAddress(1, 0).GetLocal();
		OnOffHelper messages("ns3::UdpSocketFactory",
				     InetSocketAddress(there, 9));
		messages.SetAttribute("PacketSize", UintegerValue(500));
		messages.SetAttribute("DataRate", StringValue("1Mbps"));
		messages.Install(nodes.Get(i)).Start(Seconds(0.1));
	}
	Simulator::Stop(Seconds(seconds));
	Simulator::Run();
	Simulator::Destroy();
	return 0;
}
