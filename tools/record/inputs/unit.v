// SPDX-License-Identifier: GPL-2.0
// A small processor's unit for arithmetic, and a decoder for seven-segment digits:
// logic with much in it that is not needed.
module digit(input [3:0] value, output reg [6:0] lit);
	always @*
		case (value)
		0: lit = 7'b1111110;
		1: lit = 7'b0110000;
		2: lit = 7'b1101101;
		3: lit = 7'b1111001;
		4: lit = 7'b0110011;
		5: lit = 7'b1011011;
		6: lit = 7'b1011111;
		7: lit = 7'b1110000;
		8: lit = 7'b1111111;
		9: lit = 7'b1111011;
		default: lit = 7'bxxxxxxx;
		endcase
endmodule

module unit #(parameter N = 8) (input clk, input [2:0] op, input [N-1:0] a, b,
				output reg [N-1:0] y, output [6:0] low, high);
	always @(posedge clk)
		case (op)
		0: y <= a + b;
		1: y <= a - b;
		2: y <= a & b;
		3: y <= a | b;
		4: y <= a ^ b;
		5: y <= a << b[2:0];
		6: y <= a >> b[2:0];
		7: y <= a < b ? a : b;
		endcase
	digit l(y[3:0], low);
	digit h(y[7:4], high);
endmodule
