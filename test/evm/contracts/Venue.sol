// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// A token that can be minted by anybody, with the errors of OpenZeppelin 5.
contract Token {
    error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed);
    error ERC20InsufficientAllowance(address spender, uint256 allowance, uint256 needed);

    event Approval(address indexed owner, address indexed spender, uint256 value);
    event Transfer(address indexed from, address indexed to, uint256 value);

    uint8 public constant decimals = 6;
    mapping(address => uint256) public balanceOf;
    mapping(address => mapping(address => uint256)) public allowance;

    function mint(address to, uint256 amount) external {
        balanceOf[to] += amount;
        emit Transfer(address(0), to, amount);
    }

    function approve(address spender, uint256 amount) external returns (bool) {
        allowance[msg.sender][spender] = amount;
        emit Approval(msg.sender, spender, amount);
        return true;
    }

    function transferFrom(address from, address to, uint256 amount) external returns (bool) {
        uint256 allowed = allowance[from][msg.sender];
        if (allowed < amount) revert ERC20InsufficientAllowance(msg.sender, allowed, amount);
        uint256 held = balanceOf[from];
        if (held < amount) revert ERC20InsufficientBalance(from, held, amount);
        allowance[from][msg.sender] = allowed - amount;
        balanceOf[from] = held - amount;
        balanceOf[to] += amount;
        emit Transfer(from, to, amount);
        return true;
    }
}

/// The part of the venue's router that the tests of the sender call: it locks cash for orders and never fills one.
contract Router {
    error OrderUnknown(bytes32 orderId);

    event OrderPlaced(bytes32 indexed orderId, address indexed user, address stock, uint256 locked);
    event OrderCancelled(bytes32 indexed orderId);

    struct Order {
        address user;
        uint256 locked;
    }

    uint256 private constant CASH_TO_WAD = 10 ** 12;
    mapping(address => uint256) public cash;
    mapping(bytes32 => Order) public orders;
    uint256 private placed;

    modifier until(uint32 deadline) {
        require(block.timestamp <= deadline, "deadline has passed");
        _;
    }

    function deposit(address token, uint96 amount) external returns (bytes32) {
        Token(token).transferFrom(msg.sender, address(this), amount);
        cash[msg.sender] += uint256(amount) * CASH_TO_WAD;
        return keccak256(abi.encode(msg.sender, amount));
    }

    function placeMarketOrder(address stock, int96 amount, uint32 deadline)
        external
        until(deadline)
        returns (bytes32)
    {
        return place(stock, amount > 0 ? uint256(int256(amount)) : 0);
    }

    function placeLimitOrder(address stock, int96 quantity, uint96 price, uint8, uint32 deadline)
        external
        until(deadline)
        returns (bytes32)
    {
        return place(stock, quantity > 0 ? (uint256(int256(quantity)) * price) / 1e18 : 0);
    }

    function cancelLimitOrder(bytes32 orderId, uint32 deadline) external until(deadline) {
        Order memory order = orders[orderId];
        if (order.user != msg.sender) revert OrderUnknown(orderId);
        delete orders[orderId];
        cash[msg.sender] += order.locked;
        emit OrderCancelled(orderId);
    }

    function place(address stock, uint256 locked) private returns (bytes32 orderId) {
        require(cash[msg.sender] >= locked, "insufficient mUSD");
        cash[msg.sender] -= locked;
        orderId = keccak256(abi.encode(msg.sender, ++placed));
        orders[orderId] = Order(msg.sender, locked);
        emit OrderPlaced(orderId, msg.sender, stock, locked);
    }
}
