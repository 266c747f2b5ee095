// SPDX-License-Identifier: MIT
pragma solidity 0.8.37;

/// Tokens of stocks that state a multiplier, each in its own way, as far as it is read here. Anybody may set it.
contract Scaled {
    uint256 internal scale = 1e18;

    function set(uint256 to) external {
        scale = to;
    }
}

/// ERC-8056: balances stand still, and count in shares by this.
contract UiStock is Scaled {
    function uiMultiplier() external view returns (uint256) {
        return scale;
    }
}

/// As xStocks: balances grow with it.
contract GrowingStock is Scaled {
    function getCurrentMultiplier() external view returns (uint256 multiplier, uint256 periods, uint256 nonce) {
        return (scale, 7, 1);
    }
}

/// As dShares: balances grow with it.
contract PerShareStock is Scaled {
    function balancePerShare() external view returns (uint128) {
        return uint128(scale);
    }
}
